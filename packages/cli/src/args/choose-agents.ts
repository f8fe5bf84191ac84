import { resolve } from 'node:path'
import { type Agent, agents, detect } from '@remora/sdk'
import { type HookScope, findAgentBySource } from '@remora/sdk/hooks'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentEnvironment, pickAgent } from '../detection/survey.ts'
import { loadConfig } from '../home/config.ts'
import { exampleAgent } from '../detection/agent-names.ts'

/**
 * Finds an agent by its id or by the name that other tools use.
 *
 * @example findAgentByName('claude-code').id // 'claude'
 */
export function findAgentByName(name: string): Agent {
  return findAgentBySource(name) ?? pickAgent(name)
}

/** The agents named on the command line, or all that support hooks. */
export function listNamedAgents({ positionals }: Input): Agent[] {
  if (positionals.length === 0) return agents().filter((agent) => agent.hooks)
  return [...new Set(positionals.map(findAgentByName))]
}

/** The agents named on the command line, or all installed ones that support hooks. */
export async function listPresentAgents(input: Input, io: Io): Promise<Agent[]> {
  const named = listNamedAgents(input)
  if (input.positionals.length > 0) return named
  const settings = await loadConfig(io)
  const found = await Promise.all(
    named.map(async (agent) => {
      const env = agentEnvironment(agent, settings, io)
      return detect(agent, { env, home: io.home, cwd: io.cwd, platform: io.platform })
    }),
  )
  const present = named.filter((_, index) => found[index]!.installed)
  if (present.length > 0) return present
  throw await fail(
    'agent_missing',
    'No installed agent supports hooks',
    `To install anyway, name an agent: remora hooks install ${named.map(({ id }) => id).join('|')}`,
  )
}

/** The settings file chosen by --settings or --project, if any. */
export function readHookScope({ values }: Input, agents: readonly Agent[], io: Io): HookScope | undefined {
  const { settings, project } = values
  if (typeof settings !== 'string') return project ? 'project' : undefined
  if (project) throw new UsageError('--settings and --project cannot be combined', 'Leave one of them out.')
  if (agents.length !== 1)
    throw new UsageError(
      '--settings needs exactly one agent',
      `For example: remora hooks install ${exampleAgent} --settings …`,
    )
  return { file: resolve(io.cwd, settings) }
}

import {
  type Agent,
  type Capabilities,
  type Detected,
  type DetectPlace,
  type Problem,
  agents,
  capabilities,
  detect,
  findAgent,
  findWrapper,
} from '@remora/sdk'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { nearest } from '../command/nearest.ts'
import { type Config, loadConfig } from '../home/config.ts'
import { configPath } from '../home/remora-home.ts'
import { findProgram } from './find-program.ts'

/** An agent as `agents` and `doctor` report it, also with `--json`. */
export interface Finding {
  readonly id: string
  readonly title: string
  readonly installed: boolean
  readonly path: string | null
  readonly version: string | null
  /** The program that speaks ACP for it, if it needs one. */
  readonly wrapper: WrapperFinding | null
  readonly channels: Capabilities['channels']
  readonly capabilities: Capabilities
  readonly problems: readonly Problem[]
}

/** Finds agents. With `deep`, also checks credentials, settings and the machine. */
export async function survey(ids: readonly string[], deep: boolean, io: Io): Promise<Finding[]> {
  const chosen = ids.length === 0 ? agents() : ids.map(pickAgent)
  const settings = await loadConfig(io)
  const machine = deep ? await machineProblems(io) : []
  return Promise.all(
    chosen.map(async (agent) => {
      const env = agentEnvironment(agent, settings, io)
      const where = { env, home: io.home, cwd: io.cwd, platform: io.platform }
      const found = await detect(agent, where)
      const wrapper = await surveyWrapper(agent, found, where)
      const place = { env, home: io.home, cwd: io.cwd, version: found.version }
      const health = deep && found.installed ? await agent.health?.(place) : []
      const terminal = agent.terminal ? machine : []
      const can = capabilities(agent, found.version)
      return {
        id: agent.id,
        title: agent.title,
        installed: found.installed,
        path: found.path ?? null,
        version: found.version ?? null,
        wrapper: wrapper?.finding ?? null,
        channels: can.channels,
        capabilities: can,
        problems: [
          ...found.problems.map((problem) => fromFile(problem, agent, settings, io)),
          ...(health ?? []),
          ...(wrapper?.problems ?? []),
          ...terminal,
        ],
      }
    }),
  )
}

/** Finds an agent by id, or throws a usage error with a suggestion. */
export function pickAgent(id: string): Agent {
  const agent = findAgent(id)
  if (agent) return agent
  const known = agents().map((each) => each.id)
  const near = nearest(id, known)
  throw new UsageError(
    `Unknown agent "${id}"`,
    near ? `Did you mean ${near}?` : `Known agents: ${known.join(', ')}`,
  )
}

/** The environment in which an agent is detected. The setting `<agent>.path` overrides PATH. */
export function agentEnvironment(agent: Agent, settings: Config, io: Pick<Io, 'env'>): Io['env'] {
  const path = settings.get(`${agent.id}.path`)
  return path ? { ...io.env, [agent.detection.variable]: path } : io.env
}

/** An invalid path from the settings file is fixed there, so the hint names the setting, not the variable. */
function fromFile(problem: Problem, { id, detection }: Agent, settings: Config, io: Io): Problem {
  const key = `${id}.path`
  if (problem.code !== 'bad_path' || settings.source(key) !== 'file') return problem
  return {
    ...problem,
    message: problem.message.replace(detection.variable, () => `${key} in ${configPath(io)}`),
    hint: `Fix it: remora config ${key} <path>, or use PATH: remora config ${key} --unset`,
  }
}

const tmuxInstall: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install tmux',
  linux: 'apt-get install tmux (or your distribution’s package manager)',
}

/** Problems that affect every agent with a terminal. */
async function machineProblems(io: Io): Promise<Problem[]> {
  if (io.platform === 'win32' || (await findProgram('tmux', io.env['PATH']))) return []
  return [
    {
      code: 'tmux_missing',
      message: 'tmux is not in PATH. Live terminal sessions need it',
      hint: `Install it: ${tmuxInstall[io.platform] ?? 'with your package manager'}`,
    },
  ]
}

/** The program that speaks ACP for an agent. */
export interface WrapperFinding {
  readonly name: string
  readonly package: string
  readonly path: string | null
  readonly version: string | null
  /** The agent that it runs: the user's own, or a bundled one. */
  readonly drives: { readonly own: boolean; readonly version: string | null } | null
  /** The command that installs it. */
  readonly install: string
  /** Why a better wrapper is not used, and how to get it. */
  readonly advice: string | null
}

/** Finds the ACP wrapper of an agent. A missing one is not a problem, since the other channels need none. */
export async function surveyWrapper(
  agent: Agent,
  own: Detected,
  place: DetectPlace & Required<Pick<DetectPlace, 'env'>>,
): Promise<{ finding: WrapperFinding; problems: readonly Problem[] } | undefined> {
  const found = await findWrapper(agent, place)
  if (!found) return undefined
  const { path, version, wrapper } = found
  const mine = own.path === undefined ? undefined : { path: own.path, version: own.version }
  const drives = path === undefined ? undefined : await wrapper.drives({ path, version }, mine, place.env)
  return {
    finding: {
      name: wrapper.command,
      package: wrapper.package,
      path: path ?? null,
      version: version ?? null,
      drives: drives ? { own: drives.own, version: drives.version ?? null } : null,
      install: wrapper.install,
      advice: found.advice ?? null,
    },
    problems: found.problems.filter(({ code }) => code !== 'agent_missing'),
  }
}

import type { Support } from '@remora/protocol/plain'
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
  getSupport,
  readProbe,
} from '@remora/sdk'
import {
  type AddedAgent,
  type AddedCommand,
  type AddedPlugin,
  type BrokenAgent,
  createAcpAgent,
  readAddedAgents,
} from '@remora/sdk/plugins'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { nearest } from '../command/nearest.ts'
import { type Config, loadConfig } from '../home/config.ts'
import { configPath, remoraHome } from '../home/remora-home.ts'
import { listBrokenAgents } from './added-agents.ts'
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
  /** How far the installed version is known to work, by channel; null if the version is unknown. */
  readonly support: Support | null
  /** How the user added it; null for an agent of Remora. */
  readonly added: AddedFinding | null
}

/** How the user added an agent. Values of its variables may be secrets, so only their names are reported. */
type AddedFinding = (Omit<AddedCommand, 'env'> & { readonly env?: readonly string[] }) | AddedPlugin

/** Finds agents. With `deep`, also checks credentials, settings and the machine. */
export async function survey(ids: readonly string[], deep: boolean, io: Io): Promise<Finding[]> {
  const broken = listBrokenAgents()
  const added = new Map(
    (await readAddedAgents(remoraHome(io)).catch(() => [])).map((each) => [each.id, each]),
  )
  const chosen =
    ids.length === 0 ? agents() : ids.filter((id) => broken.every((each) => each.id !== id)).map(pickAgent)
  const settings = await loadConfig(io)
  const machine = deep ? await machineProblems(io) : []
  const found = await Promise.all(
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
        support:
          getSupport(agent, found.version, await readProbe(remoraHome(io), agent.id, found.version)) ?? null,
        added: toAddedFinding(added.get(agent.id)),
      }
    }),
  )
  const left = broken.filter(({ id }) => ids.length === 0 || ids.includes(id))
  return [...found, ...left.map((agent) => toBrokenFinding(agent, added.get(agent.id)))]
}

/** An added agent that could not be loaded: nothing is known of it but its problem. */
function toBrokenFinding({ id, title, problem }: BrokenAgent, added: AddedAgent | undefined): Finding {
  const { acp: _, ...empty } = createAcpAgent({ id, title, command: id })
  const can = capabilities(empty)
  return {
    id,
    title,
    installed: false,
    path: null,
    version: null,
    wrapper: null,
    channels: can.channels,
    capabilities: can,
    problems: [problem],
    support: null,
    added: toAddedFinding(added),
  }
}

function toAddedFinding(added: AddedAgent | undefined): AddedFinding | null {
  if (added?.kind !== 'acp') return added ?? null
  const { env, ...rest } = added
  return { ...rest, ...(env ? { env: Object.keys(env) } : {}) }
}

/** Finds an agent by id, or throws a usage error with a suggestion. */
export function pickAgent(id: string): Agent {
  const agent = findAgent(id)
  if (agent) return agent
  const problem = listBrokenAgents().find((each) => each.id === id)?.problem
  if (problem) throw new UsageError(problem.message, problem.hint)
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

/** Whether Remora can hold terminals itself. */
export async function hasPty(): Promise<boolean> {
  const { checkPty } = await import('@remora/sdk/terminal')
  try {
    checkPty()
    return true
  } catch {
    return false
  }
}

/** Problems that affect every agent with a terminal. */
async function machineProblems(io: Io): Promise<Problem[]> {
  if (io.platform === 'win32' || (await findProgram('tmux', io.env['PATH'])) || (await hasPty())) return []
  return [
    {
      code: 'tmux_missing',
      message: 'tmux is not in PATH, and Remora has no terminals of its own on this system',
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
async function surveyWrapper(
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

import { basename } from 'node:path'
import { RemoraError, findMode, toModeLike } from '@remora/protocol/plain'
import type {
  AcpPart,
  AcpQuirks,
  AcpStart,
  Agent,
  AgentMode,
  Mode,
  Place,
  ProtectedResume,
} from '../../contract/agent.ts'
import { detect } from '../../detect/detect.ts'
import { findWrapper } from '../../detect/find-wrapper.ts'
import { getStartMode, listModes, toModeName } from '../../contract/modes.ts'
import type { SpawnOptions } from '../../process/spawn-tree.ts'
import { protectResume } from '../../contract/transcripts.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { createCommandPart } from './command-agent.ts'
import type { AcpCommand } from './options.ts'
import { listIds } from './session-modes.ts'

/** An agent that was found and can be started. */
export interface FoundAgent {
  readonly id: string
  readonly title: string
  readonly acp: AcpPart
  readonly quirks: AcpQuirks
  readonly place: Place
  /** The program that speaks ACP: the agent itself, or its wrapper. */
  readonly command: string
  /** The arguments before those of the agent. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that set its mode. */
  readonly startEnv?: Readonly<Record<string, string>> | undefined
  /** The mode in which it starts, chosen by the caller or the user's configuration. */
  readonly startMode?: string
  /** The mode that the caller requested. */
  readonly requestedMode?: Mode | undefined
  /** Protects a session before a resume. */
  protect(place: Place, session: string, signal: AbortSignal | undefined): Promise<ProtectedResume>
}

/** The mode that the caller requested by any of its names, and the one to start in otherwise. */
export interface WantedMode {
  readonly requested?: Mode | undefined
  readonly otherwise?: Mode | undefined
}

/** Finds the program of an agent, or uses that of a command line. @example await findAcpAgent(gemini, place) */
export async function findAcpAgent(
  target: Agent | AcpCommand,
  place: Place,
  { requested, otherwise }: WantedMode = {},
): Promise<FoundAgent> {
  if ('command' in target) return byCommand(target, place)
  const { id, title } = target
  if (!target.acp) throw createUnsupportedError(title, 'ACP', 'See remora agents for the ways to reach it.')
  const own = await detect(target, place)
  const wrapped = await findWrapper(target, place)
  const found = wrapped ?? own
  const acp: AcpPart = { ...target.acp, ...wrapped?.wrapper.part }
  if (found.path === undefined) {
    const [problem] = found.problems
    throw new RemoraError('agent_missing', problem?.message ?? `${title} is not installed`, {
      hint: problem?.hint ?? target.detection.install,
    })
  }
  const quirks = acp.quirks?.(own.version) ?? {}
  const where = { ...place, version: own.version }
  // A mode that only the session offers cannot be set at the start.
  const isKnown = toModeLike(requested) !== undefined || findMode(target.modes ?? [], requested) !== undefined
  const requestedMode = isKnown ? toModeName(target, requested!, own.version) : undefined
  const start = await getStartMode(target, where, requestedMode ?? otherwise)
  const guard = await acp.guardPlan?.(where)
  return {
    id,
    title,
    acp: { ...acp, ...getModes(target, acp, start.mode, own.version) },
    quirks,
    place: where,
    command: found.path,
    args: guard?.args ?? [],
    env: { ...place.env, ...guard?.env, ...quirks.env?.(place, own.path) },
    startEnv: start.env,
    startMode: start.mode,
    requestedMode,
    protect: (where, session, signal) => protectResume(target, session, where, { way: 'acp', signal }),
  }
}

/** A mode without an id over ACP applies to the whole process and takes the place of the asking mode. */
function getModes(
  agent: Agent,
  acp: AcpPart,
  started: Mode,
  version: string | undefined,
): { modes?: readonly AgentMode[] } {
  const modes = acp.modes ?? (agent.modes && listModes(agent, version))
  if (!modes) return {}
  const mode = findMode(modes, started)
  const asking = findMode(modes, 'ask')
  if (!mode || !asking || listIds(mode).length > 0) return { modes }
  const rest = modes.filter((each) => each !== mode && each !== asking)
  return { modes: [{ ...mode, acp: listIds(asking) }, ...rest] }
}

/** The command line that starts it. */
export function commandLine(
  { acp, place, command, args, env, startEnv }: FoundAgent,
  start: AcpStart = {},
  more: readonly string[] = [],
): SpawnOptions {
  const invocation = acp.invocation(place.version, start)
  return {
    command,
    args: [...args, ...invocation.args, ...more],
    cwd: place.cwd,
    // Some agents (OpenCode) use PWD instead of the folder in which they were started.
    env: { ...env, PWD: place.cwd, ...invocation.env, ...startEnv },
  }
}

function byCommand({ command, args = [], id }: AcpCommand, place: Place): FoundAgent {
  const name = id ?? basename(command).replace(/\.[a-z]+$/i, '')
  const acp = createCommandPart()
  return {
    id: name,
    title: name,
    acp,
    quirks: acp.quirks?.(undefined) ?? {},
    place,
    command,
    args,
    env: place.env,
    protect: async (_, session) => ({ id: session, finish: async () => [] }),
  }
}

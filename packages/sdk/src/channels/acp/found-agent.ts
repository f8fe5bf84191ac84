import { basename } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type {
  AcpPart,
  AcpQuirks,
  AcpStart,
  Agent,
  Mode,
  NativeModes,
  Place,
  ProtectedResume,
} from '../../contract/agent.ts'
import { detect } from '../../detect/detect.ts'
import { findWrapper } from '../../detect/find-wrapper.ts'
import { getStartMode, toMode } from '../../contract/modes.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import type { SpawnOptions } from '../../process/spawn-tree.ts'
import { protectResume } from '../../contract/transcripts.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { commonModes } from './native-modes.ts'
import type { AcpCommand } from './options.ts'

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
  /** Protects a session before a resume. */
  protect(place: Place, session: string, signal: AbortSignal | undefined): Promise<ProtectedResume>
}

/** Finds the program of an agent, or uses that of a command line. @example await findAcpAgent(gemini, place) */
export async function findAcpAgent(
  target: Agent | AcpCommand,
  place: Place,
  mode?: Mode,
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
  const start = await getStartMode(target, where, mode)
  const guard = await acp.guardPlan?.(where)
  return {
    id,
    title,
    acp: { ...acp, modes: getModes(target, acp, start.mode, own.version) },
    quirks,
    place: where,
    command: found.path,
    args: guard?.args ?? [],
    env: { ...place.env, ...guard?.env, ...quirks.env?.(place, own.path) },
    startEnv: start.env,
    startMode: start.mode,
    protect: (where, session, signal) => protectResume(target, session, where, { way: 'acp', signal }),
  }
}

/** A mode without an id in the protocol applies to the whole process and becomes the agent's default mode. */
function getModes(
  agent: Agent,
  { modes }: AcpPart,
  started: string,
  version: string | undefined,
): NativeModes {
  const mode = toMode(started)
  if (mode === undefined || modes[mode] !== undefined) return modes
  if (!agent.features(version).permissionModes.includes(mode)) return modes
  const { default: usual, ...others } = modes
  return { ...others, ...(usual === undefined ? {} : { [mode]: usual }) }
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
  return {
    id: name,
    title: name,
    acp: {
      invocation: () => ({ args: [] }),
      modes: commonModes,
      // It is unknown how such an agent recognizes slash commands, but none does after a word joiner.
      escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
      toClaude: (native, input) => ({ name: native, input }),
    },
    // An unknown agent may send its last chunks after its response.
    quirks: { lateMs: 150 },
    place,
    command,
    args,
    env: place.env,
    protect: async (_, session) => ({ id: session, finish: async () => [] }),
  }
}

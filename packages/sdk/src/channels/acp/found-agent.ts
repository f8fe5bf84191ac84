import { basename } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { AcpPart, AcpQuirks, AcpStart, Agent, Place, ProtectedResume } from '../../agent.ts'
import { detect } from '../../detect.ts'
import { findWrapper } from '../../detect/find-wrapper.ts'
import { leadingSlash, wordJoiner } from '../../prompt-escapes.ts'
import type { SpawnOptions } from '../../process/spawn-tree.ts'
import { protectResume } from '../../protect-resume.ts'
import { unsupported } from '../../unsupported.ts'
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
  /** What stands before the arguments that the agent is started with. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Protects a session that is about to be resumed. */
  protect(place: Place, session: string, signal: AbortSignal | undefined): Promise<ProtectedResume>
}

/** Finds the program of an agent, or takes that of a command line. @example await findAcpAgent(gemini, place) */
export async function findAcpAgent(target: Agent | AcpCommand, place: Place): Promise<FoundAgent> {
  if ('command' in target) return byCommand(target, place)
  const { id, title } = target
  if (!target.acp) throw unsupported(title, 'ACP', 'See remora agents for the ways to reach it.')
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
  const guard = await acp.guardPlan?.(where)
  return {
    id,
    title,
    acp,
    quirks,
    place: where,
    command: found.path,
    args: guard?.args ?? [],
    env: { ...place.env, ...guard?.env, ...quirks.env?.(place, own.path) },
    protect: (where, session, signal) => protectResume(target, session, where, { way: 'acp', signal }),
  }
}

/** The command line by which it is started. */
export function commandLine(
  { acp, place, command, args, env }: FoundAgent,
  start: AcpStart = {},
  more: readonly string[] = [],
): SpawnOptions {
  const invocation = acp.invocation(place.version, start)
  return {
    command,
    args: [...args, ...invocation.args, ...more],
    cwd: place.cwd,
    // An agent may believe PWD more than the folder that it was started in: OpenCode does.
    env: { ...env, PWD: place.cwd, ...invocation.env },
  }
}

function byCommand({ command, args = [], id }: AcpCommand, place: Place): FoundAgent {
  const name = id ?? basename(command).replace(/\.[a-z]+$/i, '')
  return {
    id: name,
    title: name,
    acp: {
      invocation: () => ({ args: [] }),
      modes: {},
      // How an unknown agent finds a slash command is unknown too; behind a word joiner none does.
      escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
      toClaude: (native, input) => ({ name: native, input }),
    },
    // Nothing is known of such an agent: its last chunks may come after its response.
    quirks: { lateMs: 150 },
    place,
    command,
    args,
    env: place.env,
    protect: async (_, session) => ({ id: session, finish: async () => [] }),
  }
}

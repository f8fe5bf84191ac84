import { basename } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Place } from '../../agent.ts'
import { type Detected, detect } from '../../detect.ts'
import { findWrapper } from '../../detect/find-wrapper.ts'
import type { AcpCommand } from './options.ts'
import type { ToClaude } from './read-update.ts'

/** An ACP agent that is ready to be started. */
export interface RelayStart {
  readonly id: string
  readonly title: string
  /** What we know of it, unless it is known by its command line only. */
  readonly agent?: Agent
  readonly command: string
  readonly args: readonly string[]
  readonly env: Place['env']
  readonly place: Place
  readonly toClaude: ToClaude
  readonly remarks?: RegExp
  readonly endBySignal: boolean
}

/** Finds the executable of an agent, or of the wrapper that speaks ACP for it. */
export async function relayStart(
  target: Agent | AcpCommand,
  place: Place,
  more: readonly string[],
): Promise<RelayStart> {
  return 'command' in target ? byCommand(target, place, more) : known(target, place, more)
}

function byCommand(
  { command, args = [], id = basename(command) }: AcpCommand,
  place: Place,
  more: readonly string[],
): RelayStart {
  return {
    id,
    title: id,
    command,
    args: [...args, ...more],
    env: place.env,
    place,
    toClaude: (name, input) => ({ name, input }),
    endBySignal: false,
  }
}

async function known(agent: Agent, outer: Place, more: readonly string[]): Promise<RelayStart> {
  const { acp, id, title } = agent
  if (!acp)
    throw new RemoraError('unsupported', `${title} cannot be reached over ACP`, {
      hint: 'See what each agent can do: remora agents',
    })
  const own = await detect(agent, outer)
  const place: Place = { ...outer, version: own.version }
  const invocation = acp.invocation(own.version)
  const found = (await findWrapper(agent, outer)) ?? own
  const quirks = acp.quirks?.(own.version)
  return {
    id,
    title,
    agent,
    command: pathOf(found),
    args: [...invocation.args, ...more],
    env: { ...place.env, ...invocation.env, ...quirks?.env?.(place, own.path) },
    place,
    toClaude: acp.toClaude,
    ...(quirks?.remarks ? { remarks: quirks.remarks } : {}),
    endBySignal: quirks?.endBySignal === true,
  }
}

function pathOf({ path, problems }: Detected): string {
  if (path !== undefined) return path
  const [problem] = problems
  const message = problem?.message ?? 'The agent is not installed'
  throw new RemoraError('agent_missing', message, { hint: problem?.hint ?? 'See: remora doctor' })
}

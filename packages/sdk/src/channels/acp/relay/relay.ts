import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type AskBroker, type EventSink, RemoraError } from '@remora/protocol/plain'
import type { Agent, Problem } from '../../../contract/agent.ts'
import { guardTree } from '../../../process/guard-tree.ts'
import { type Exit, spawnTree } from '../../../process/spawn-tree.ts'
import { commandLine, findAcpAgent } from '../found-agent.ts'
import type { AcpCommand } from '../options.ts'
import { Relay } from './relay-run.ts'

/** How an editor is connected to an agent. */
export interface RelayOptions {
  /** The agent, or the command line of any ACP agent. */
  readonly agent: Agent | AcpCommand
  /** The streams of the editor. Only JSON-RPC is written to its output. */
  readonly input: Readable
  readonly output: Writable
  /** Receives every event. */
  readonly sink?: EventSink
  /** Another party that may answer the agent's asks; the first answer wins. */
  readonly asks?: AskBroker
  /** Requests of other processes to cancel a turn. */
  readonly cancels?: CancelSource
  /** The whole environment; that of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly cwd?: string
  /** Added to the agent's own command line. */
  readonly args?: readonly string[]
  readonly signal?: AbortSignal
  /** Receives the agent's standard error and notices for the user. */
  readonly log?: (text: string) => void
}

/** A source of cancel requests, such as the ledger. */
export interface CancelSource {
  /** Delivers each cancel request for one of the sessions, until the signal. `cancel` returns false if no turn runs. */
  follow(target: {
    readonly agent: string
    has(session: string): boolean
    cancel(session: string): Promise<boolean>
    readonly signal: AbortSignal
  }): Promise<void>
}

/** How a relay ended. */
export interface Relayed {
  /** Who ended it: the editor by closing, the agent by exiting, or the signal. */
  readonly by: 'editor' | 'agent' | 'signal'
  readonly exit: Exit
  /** Problems of sessions that the agent had loaded. */
  readonly problems: readonly Problem[]
}

/**
 * Relays between an editor and an agent. Messages are forwarded unchanged and recorded in the sink; asks of the agent
 * can be answered in the editor or elsewhere.
 *
 * @example
 * const { by } = await relay({ agent: gemini, input: process.stdin, output: process.stdout, sink, asks })
 */
export async function relay(options: RelayOptions): Promise<Relayed> {
  const { agent, args = [], signal = new AbortController().signal } = options
  if (signal.aborted) throw new RemoraError('aborted', 'The relay was stopped before it began')
  const place = {
    env: options.env ?? process.env,
    home: options.home ?? homedir(),
    cwd: options.cwd ?? process.cwd(),
  }
  const found = await findAcpAgent(agent, place)
  const tree = await spawnTree({ ...commandLine(found, {}, args), stdin: 'pipe' })
  const release = guardTree(tree)
  try {
    return await new Relay({ ...options, found, tree, signal, source: randomUUID() }).run()
  } finally {
    await tree.kill({ grace: 1_000 })
    release()
    tree.stdout.destroy()
    tree.stderr.destroy()
  }
}

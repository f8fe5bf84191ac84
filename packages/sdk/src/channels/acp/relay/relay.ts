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

export interface RelayOptions {
  /** The agent that does the work, or the command line of any that speaks ACP. */
  readonly agent: Agent | AcpCommand
  /** What the editor writes, and where it reads. Nothing but JSON-RPC goes there. */
  readonly input: Readable
  readonly output: Writable
  /** Where every event goes too. */
  readonly sink?: EventSink
  /** Who else may answer what the agent asks; the first answer wins. */
  readonly asks?: AskBroker
  /** Wishes of other processes to cancel a turn. */
  readonly cancels?: CancelSource
  /** The whole environment; that of this process where it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly cwd?: string
  /** Added to the agent's own command line. */
  readonly args?: readonly string[]
  readonly signal?: AbortSignal
  /** Hears what the agent writes to standard error, and what a person should know besides. */
  readonly tell?: (text: string) => void
}

/** Where wishes to cancel come from, such as the ledger. */
export interface CancelSource {
  /** Hands over each wish for one of the sessions, until the signal. Cancelling gives false where no turn is under way. */
  follow(target: {
    readonly agent: string
    has(session: string): boolean
    cancel(session: string): Promise<boolean>
    readonly signal: AbortSignal
  }): Promise<void>
}

/** How a relay ended. */
export interface Relayed {
  /** Who ended it: the editor by hanging up, the agent by dying, or the signal. */
  readonly by: 'editor' | 'agent' | 'signal'
  readonly exit: Exit
  /** What the agent did to sessions that it had loaded, if that was not right. */
  readonly problems: readonly Problem[]
}

/**
 * An ACP agent in reverse: stands between an editor and the agent that it believes to talk to. Everything passes as it
 * is, and is told to the sink; what the agent asks can be answered in the editor or elsewhere.
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

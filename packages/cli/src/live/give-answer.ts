import type { Ledger, SessionKey } from '@remora/ledger'
import type { Answer } from '@remora/protocol/plain'
import type { Io } from '../command/io.ts'
import { askServer, serverHealth } from '../client/server-client.ts'

/** What became of an answer. */
export interface Given {
  readonly won: boolean
  readonly answer: Answer
  /** Whether it reached the agent, where that is known. */
  readonly effect?: 'done' | 'gone'
}

/** An agent on a terminal is looked at again before a key is pressed, and that may take its time. */
const patienceMs = 30_000

/**
 * Gives an answer by the server where one runs, since that one carries it to the agent's terminal; else it is put into
 * the ledger, where whoever asked looks for it.
 *
 * @example const { won, answer } = await giveAnswer(ledger, key, wanted, io)
 */
export async function giveAnswer(ledger: Ledger, key: SessionKey, wanted: Answer, io: Io): Promise<Given> {
  const { agent, session } = key
  if (!(await serverHealth(io))) return ledger.asks.answer({ agent, session }, wanted)
  const { ask, digest, option, text } = wanted
  return askServer(io).post('/api/asks/answer', {
    body: {
      agent,
      session,
      ask,
      digest,
      ...(option === undefined ? {} : { option }),
      ...(text === undefined ? {} : { text }),
    },
    timeoutMs: patienceMs,
  })
}

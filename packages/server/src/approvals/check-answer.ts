import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Answer, type Ask, RemoraError } from '@remora/protocol/plain'
import type { PendingAsk } from '../core/approvals.ts'

/** Throws if the answer does not fit the ask. @example checkAnswer(ask, answer) */
export function checkAnswer(ask: Ask, { digest, option, text }: Answer): void {
  if (digest !== ask.digest)
    throw new RemoraError('conflict', `The ask ${ask.id} has changed since it was shown`, {
      hint: 'Read it again, then answer.',
    })
  const hint = `Options: ${ask.options.map(({ id }) => id).join(', ')}${ask.freeText ? ', or text' : ''}`
  if (option !== undefined && !ask.options.some(({ id }) => id === option))
    throw new RemoraError('usage', `This ask has no option "${option}"`, { hint })
  if (text !== undefined && ask.freeText !== true)
    throw new RemoraError('usage', 'This ask does not accept text', { hint })
  if (option === undefined && text === undefined)
    throw new RemoraError('usage', 'An answer needs an option', { hint })
}

/** How long an answer waits for the process that asked. */
const listenerMs = 3000

/**
 * Throws `conflict` if no process waits for the answer. After a server start it waits for the process that asked. An ask
 * that another client answers meanwhile needs no such process: the caller gets that answer.
 */
export async function expectListener(
  ledger: Pick<Ledger, 'asks'>,
  asked: PendingAsk,
  isWaitedFor: (asked: PendingAsk) => Promise<boolean>,
): Promise<void> {
  const { ask } = asked
  const end = performance.now() + listenerMs
  while (!(await isWaitedFor(asked)) && !(await ledger.asks.find(asked, ask.id))?.answer) {
    if (performance.now() > end)
      throw new RemoraError('conflict', `No process is waiting for an answer to ${ask.id}`, {
        hint: 'List pending asks: remora asks',
      })
    await sleep(50)
  }
}

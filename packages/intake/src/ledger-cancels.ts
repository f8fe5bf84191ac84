import type { Ledger } from '@remora/ledger'
import type { CancelSource } from '@remora/sdk'
import { awaitChange } from './await-change.ts'

/** The ledger tells when there is something new; this stands behind it. */
const lookMs = 5000

/**
 * Wishes of any process to cancel a turn, as they stand in the ledger. Each is done once, by the process that has the
 * session, and its state tells what came of it.
 *
 * @example await relay({ agent: gemini, input, output, cancels: ledgerCancels(ledger) })
 */
export function ledgerCancels(ledger: Pick<Ledger, 'commands' | 'changed'>): CancelSource {
  return {
    async follow({ agent, has, cancel, signal }) {
      while (!signal.aborted) {
        const changed = awaitChange(ledger, lookMs, signal)
        for (const command of await ledger.commands.list({ state: 'queued' })) {
          const { target, body } = command
          if (body.kind !== 'cancel' || target.agent !== agent || !has(target.session)) continue
          if (!(await ledger.commands.move(command, 'queued', 'sent'))) continue
          if (await cancel(target.session)) await ledger.commands.move(command, 'sent', 'done')
          else await ledger.commands.move(command, 'sent', 'refused', 'No turn is running')
        }
        await changed
      }
    },
  }
}

import type { Ledger } from '@remora/ledger'
import type { CancelSource } from '@remora/sdk'
import { awaitChange } from './await-change.ts'

/** The poll interval, in case a change notification is missed. */
const pollMs = 5000

/**
 * Requests of any process to cancel a turn, read from the ledger. The process that runs the session performs each once
 * and records the result in the command's state.
 *
 * @example await relay({ agent: gemini, input, output, cancels: ledgerCancels(ledger) })
 */
export function ledgerCancels(ledger: Pick<Ledger, 'commands' | 'changed'>): CancelSource {
  return {
    async follow({ agent, has, cancel, signal }) {
      while (!signal.aborted) {
        const changed = awaitChange(ledger, pollMs, signal)
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

import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '@remora/protocol/plain'
import type { ChangeNotifier } from './change-notifier.ts'
import type { Page, ReadQuery, TailQuery } from './ledger.ts'

/** Delay before reading again after a transient failure. */
const retryMs = 500

/** Yields pages until the signal. A read that fails transiently is retried from the same cursor. */
export async function* tailPages(
  notifier: ChangeNotifier,
  read: (query: ReadQuery) => Page | Promise<Page>,
  { signal, ...query }: TailQuery,
  isTransient: (error: unknown) => boolean = () => false,
): AsyncGenerator<Page, void, undefined> {
  notifier.subscribe()
  try {
    let after: Cursor | undefined = query.after
    while (!signal.aborted) {
      // Before reading, so that a change during the read is not missed.
      const { changed, cancel } = notifier.wait(signal)
      try {
        const page = await read({ ...query, ...(after ? { after } : {}) })
        after = page.cursor
        if (signal.aborted) return
        if (page.events.length > 0 || page.gap) {
          yield page
          // SQLite reads synchronously: without this, the pages of a burst would block the event loop.
          await yieldToOthers()
        } else await changed
      } catch (error) {
        if (signal.aborted) return
        if (!isTransient(error)) throw error
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      } finally {
        cancel()
      }
    }
  } finally {
    notifier.unsubscribe()
  }
}

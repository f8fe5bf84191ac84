import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '@remora/protocol/plain'
import type { Bell } from '@remora/ledger/engine'
import type { Page, ReadQuery, TailQuery } from '@remora/ledger'
import { isPassing } from './failure.ts'

/** While the database is away it is asked so often. */
const tryAgain = 500

/** Pages without end, until the signal. A database that is away for a while is waited for: the cursor is the truth. */
export async function* tailPages(
  bell: Bell,
  read: (query: ReadQuery) => Promise<Page>,
  { signal, ...query }: TailQuery,
): AsyncGenerator<Page, void, undefined> {
  bell.listen()
  try {
    let after: Cursor | undefined = query.after
    while (!signal.aborted) {
      // Before reading, so that what comes meanwhile is not missed.
      const { rung, cancel } = bell.wait(signal)
      try {
        const page = await read({ ...query, ...(after ? { after } : {}) })
        after = page.cursor
        if (signal.aborted) return
        if (page.events.length > 0 || page.gap) yield page
        else await rung
      } catch (error) {
        if (signal.aborted) return
        if (!isPassing(error)) throw error
        await sleep(tryAgain, undefined, { signal }).catch(() => {})
      } finally {
        cancel()
      }
    }
  } finally {
    bell.unlisten()
  }
}

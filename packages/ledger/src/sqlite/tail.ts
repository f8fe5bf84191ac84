import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Cursor } from '@remora/protocol/plain'
import type { Bell } from '../bell.ts'
import type { Page, ReadQuery, TailQuery } from '../ledger.ts'

/** Pages without end, until the signal. */
export async function* tailPages(
  bell: Bell,
  read: (query: ReadQuery) => Page,
  { signal, ...query }: TailQuery,
): AsyncGenerator<Page, void, undefined> {
  bell.listen()
  try {
    let after: Cursor | undefined = query.after
    while (!signal.aborted) {
      // Before reading, so that what comes meanwhile is not missed.
      const { rung, cancel } = bell.wait(signal)
      const page = read({ ...query, ...(after ? { after } : {}) })
      after = page.cursor
      if (page.events.length > 0 || page.gap) {
        cancel()
        yield page
        // Reading is synchronous: without this, the pages of a burst would be one turn of the event loop.
        await yieldToOthers()
        continue
      }
      await rung
    }
  } finally {
    bell.unlisten()
  }
}

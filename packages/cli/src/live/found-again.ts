import { setTimeout as sleep } from 'node:timers/promises'
import type { Io } from '../io.ts'
import { withLedger } from '../with-ledger.ts'
import { liveSessions } from './find-live.ts'
import { liveRecords } from './live-records.ts'

const patienceMs = 8000
const lookMs = 100

/**
 * Waits until a server that has just been started has found the sessions again that went on without it: until then it
 * would say that there are none. One whose agent is gone is struck off, and no longer waited for.
 *
 * @example await untilFoundAgain(io)
 */
export async function untilFoundAgain(io: Io): Promise<void> {
  const stopped = io.stopped?.()
  await withLedger(
    io,
    async (ledger) => {
      for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(lookMs)) {
        const there = new Set((await liveSessions(io, stopped)).map(({ id }) => id))
        if ((await liveRecords(ledger)).every(({ id }) => there.has(id))) return
      }
    },
    { current: false },
  )
}

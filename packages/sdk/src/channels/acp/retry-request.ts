import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { AgentRecord } from '../../events/read-record.ts'

/** How a session is asked for. */
type Request = (method: string, params: object) => Promise<AgentRecord>

/** Requests that are not waited for once the caller has lost interest. */
export function makeAbortable(request: Request, signal: AbortSignal | undefined): Request {
  if (!signal) return request
  return async (method, params) => {
    const cancelled = (): RemoraError =>
      new RemoraError('aborted', 'Opening the session was cancelled', { cause: signal.reason })
    if (signal.aborted) throw cancelled()
    let abort!: () => void
    const aborted = new Promise<never>((_, reject) => (abort = () => reject(cancelled())))
    signal.addEventListener('abort', abort)
    try {
      return await Promise.race([request(method, params), aborted])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}

/** How often to ask for a session that was not let go of yet, and how long to wait between. */
const busyTries = 12
const busyRetryMs = 250

/** Asks again where a session is only not let go of yet. */
export function retryWhileBusy(request: Request, lingering: RegExp | undefined): Request {
  return async (method, params) => {
    for (let tries = 1; ; tries++) {
      try {
        return await request(method, params)
      } catch (error) {
        const passes = RemoraError.is(error) && lingering?.test(error.message) === true
        if (!passes || tries === busyTries) throw error
        await sleep(busyRetryMs)
      }
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { AgentRecord } from '../../events/read-record.ts'

/** Sends a request to the agent. */
type Request = (method: string, params: object) => Promise<AgentRecord>

/** Makes requests reject when the signal aborts. */
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

/** How often to retry opening a session that is still being closed, and the delay. */
const busyTries = 12
const busyRetryMs = 250

/** Retries a request while the session is still being closed. */
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

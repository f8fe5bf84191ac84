import { RemoraError } from '@remora/protocol/plain'
import type { AgentRecord } from '../../read-record.ts'

type Request = (method: string, params: object) => Promise<AgentRecord>

/** Requests that are not waited for once the caller has lost interest. */
export function abortable(request: Request, signal: AbortSignal | undefined): Request {
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

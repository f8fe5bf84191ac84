import { type ErrorCode, RemoraError } from '@remora/protocol/plain'

/** An error with an explicit HTTP status, where the error code does not determine it. */
export class HttpError extends RemoraError {
  readonly status: number
  /** When the client may retry; set only if the request had no effect. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, code: ErrorCode, message: string, hint?: string, retryAfterMs?: number) {
    super(code, message, hint === undefined ? {} : { hint })
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

const statuses: Partial<Record<ErrorCode, number>> = {
  usage: 400,
  config: 400,
  input: 400,
  // Of an agent. A device that is not paired gets 401 from the gate.
  auth: 424,
  permission: 403,
  forbidden: 403,
  untrusted: 403,
  not_found: 404,
  agent_missing: 404,
  model_not_found: 404,
  conflict: 409,
  unsupported: 422,
  agent_too_old: 422,
  rate_limit: 429,
  quota: 429,
  budget: 429,
  overloaded: 503,
  aborted: 503,
  timeout_startup: 504,
  timeout_idle: 504,
  timeout_total: 504,
}

/** @example getStatus(new RemoraError('not_found', '…')) // 404 */
export function getStatus(error: RemoraError): number {
  return error instanceof HttpError ? error.status : (statuses[error.code] ?? 500)
}

/** The value of Retry-After, in whole seconds. @example getRetryAfter(error) // '1' */
export function getRetryAfter(error: unknown): string | undefined {
  const ms = error instanceof HttpError ? error.retryAfterMs : undefined
  return ms === undefined ? undefined : String(Math.max(1, Math.ceil(ms / 1000)))
}

/** Hides the details of unexpected errors from clients. */
export function toErrorResponse(error: unknown): {
  readonly status: number
  readonly error: Omit<ReturnType<RemoraError['toJSON']>, 'code'> & { readonly code: string }
} {
  if (RemoraError.is(error)) return { status: getStatus(error), error: error.toJSON() }
  return {
    status: 500,
    error: { code: 'unknown', message: 'Internal server error. See: remora logs' },
  }
}

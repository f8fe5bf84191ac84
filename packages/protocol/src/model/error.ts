/** The codes of all errors, including those that agents report. */
export const errorCodes = [
  'usage',
  'config',
  'agent_missing',
  'agent_too_old',
  'unsupported',
  'auth',
  'quota',
  'budget',
  'rate_limit',
  'overloaded',
  'network',
  'context_overflow',
  'model_not_found',
  'input',
  'untrusted',
  'permission',
  'forbidden',
  'timeout_startup',
  'timeout_idle',
  'timeout_total',
  'aborted',
  'crashed',
  'not_found',
  'conflict',
  'unknown',
] as const

/** The code of a `RemoraError`, for programs. */
export type ErrorCode = (typeof errorCodes)[number]

// The mark survives two copies of this package in one process, where `instanceof` does not.
const mark = Symbol.for('remora.error')

/**
 * The one error class: what failed, where, and what to do next.
 *
 * @example throw new RemoraError('agent_missing', 'gemini is not installed', { hint: 'npm install -g @google/gemini-cli' })
 */
export class RemoraError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RemoraError'
    this.code = code
    this.hint = options.hint
    Object.defineProperty(this, mark, { value: true })
  }

  static is(value: unknown): value is RemoraError {
    return typeof value === 'object' && value !== null && mark in value
  }

  toJSON(): { code: ErrorCode; message: string; hint?: string } {
    return { code: this.code, message: this.message, ...(this.hint ? { hint: this.hint } : {}) }
  }
}

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

/** A way to sign in that an agent offers. */
export interface SignInMethod {
  readonly id: string
  readonly name: string
  readonly description?: string
}

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
  /** With code `auth`: how the user can sign in to the agent. */
  readonly signIn: readonly SignInMethod[] | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; signIn?: readonly SignInMethod[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RemoraError'
    this.code = code
    this.hint = options.hint
    this.signIn = options.signIn
    Object.defineProperty(this, mark, { value: true })
  }

  static is(value: unknown): value is RemoraError {
    return typeof value === 'object' && value !== null && mark in value
  }

  toJSON(): { code: ErrorCode; message: string; hint?: string; signIn?: readonly SignInMethod[] } {
    const { code, message, hint, signIn } = this
    return { code, message, ...(hint ? { hint } : {}), ...(signIn ? { signIn } : {}) }
  }
}

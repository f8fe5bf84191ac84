/**
 * A wrong command line. Not a RemoraError, because that one comes with the schemas, and help and typing errors
 * must not wait for those.
 */
export class UsageError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

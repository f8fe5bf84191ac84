import { tail } from './children.mjs'

/** A problem of this machine that stops the script, with a hint how to fix it. */
export class SetupError extends Error {
  constructor(message, { hint, log } = {}) {
    super(message)
    this.name = 'SetupError'
    this.hint = hint
    this.log = log
  }
}

/** Prints a failure. Every error except a SetupError is a bug and is printed with its stack. */
export function printFailure(error) {
  if (!(error instanceof SetupError)) return console.error(error)
  if (error.log) console.error(`${tail(error.log)}\n(full log: ${error.log})\n`)
  console.error(error.message)
  if (error.hint) console.error(error.hint)
}

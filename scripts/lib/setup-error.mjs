import { tail } from './children.mjs'

/** A problem of this machine that stops the script, and how to fix it. */
export class SetupError extends Error {
  constructor(message, { hint, log } = {}) {
    super(message)
    this.name = 'SetupError'
    this.hint = hint
    this.log = log
  }
}

/** Prints a failure for a person; anything but a SetupError is our own mistake and keeps its stack. */
export function printFailure(error) {
  if (!(error instanceof SetupError)) return console.error(error)
  if (error.log) console.error(`${tail(error.log)}\n(the whole log is ${error.log})\n`)
  console.error(error.message)
  if (error.hint) console.error(error.hint)
}

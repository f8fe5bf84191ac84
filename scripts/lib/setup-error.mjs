import { tail } from './children.mjs'

/** Something on this machine keeps us from going on: what it is, and what to do about it. */
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

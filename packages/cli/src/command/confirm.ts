import { UsageError } from './errors.ts'
import type { Io } from './io.ts'

/** Whether a user can answer a question on this terminal. */
export function canAsk({ stdin }: Io): boolean {
  return stdin?.terminal === true && stdin.readLine !== undefined
}

/** Reads a line and returns whether it is `y` or `yes`; false without a terminal. */
export async function readYes(io: Io): Promise<boolean> {
  return canAsk(io) && /^y(?:es)?$/i.test((await io.stdin!.readLine!()).trim())
}

/**
 * Asks for confirmation on standard error. Without a terminal, the usage error names the command that needs no answer.
 *
 * @example if (!(await confirm(io, 'Delete it?\n  Type y: ', 'remora sessions forget <session> --yes'))) return 1
 */
export async function confirm(io: Io, question: string, commandWithYes: string): Promise<boolean> {
  if (!canAsk(io))
    throw new UsageError(
      'Not a terminal, so Remora cannot ask for confirmation',
      `Pass --yes to confirm: ${commandWithYes}`,
    )
  io.err(question)
  return readYes(io)
}

import type { Io } from './io.ts'

/** Whether somebody is there who could be asked. */
export function canAsk({ stdin }: Io): boolean {
  return stdin?.terminal === true && stdin.readLine !== undefined
}

/** Whether the person at the terminal says yes; where nobody can be asked, nobody does. @example await saysYes(io) */
export async function saysYes(io: Io): Promise<boolean> {
  return canAsk(io) && /^y(?:es)?$/i.test((await io.stdin!.readLine!()).trim())
}

import type { Ledger } from '@remora/ledger'
import type { Command } from '@remora/protocol'

export type SentLedger = Pick<Ledger, 'append' | 'marks' | 'node'>

/**
 * Stores when a prompt is sent to the agent, by the clock of this machine. Transcripts use the same clock; the machine that
 * submitted the prompt may have another one.
 */
export async function storeSentTime(ledger: SentLedger, command: Command): Promise<void> {
  if (ledger.node !== undefined) await ledger.append([], { marks: { [getMark(command)]: Date.now() } })
}

/** When the prompt was sent, by the clock of this machine if it was stored. */
export async function readSentTime(ledger: SentLedger, command: Command): Promise<number> {
  if (ledger.node === undefined) return command.at
  const noted = (await ledger.marks(getMark(command))).get(getMark(command))
  return typeof noted === 'number' ? noted : command.at
}

/** Removes the stored time. */
export async function removeSentTime(ledger: SentLedger, command: Command): Promise<void> {
  if (ledger.node !== undefined) await ledger.append([], { marks: { [getMark(command)]: undefined } })
}

function getMark({ client, id }: Command): string {
  return `terminal/sent/${JSON.stringify([client, id])}`
}

import type { Ledger } from '@remora/ledger'
import type { Command } from '@remora/protocol'

/** What is noted needs no more of the ledger. */
export type SentLedger = Pick<Ledger, 'append' | 'marks' | 'node'>

/**
 * Notes when a prompt is handed to the agent, by the clock of this machine. Where several share the ledger, the one from
 * which it came may have a wrong one, and what the agent tells of it has ours.
 */
export async function noteSent(ledger: SentLedger, command: Command): Promise<void> {
  if (ledger.node !== undefined) await ledger.append([], { marks: { [getMark(command)]: Date.now() } })
}

/** When it was, by our own clock as far as that is known. */
export async function sentAt(ledger: SentLedger, command: Command): Promise<number> {
  if (ledger.node === undefined) return command.at
  const noted = (await ledger.marks(getMark(command))).get(getMark(command))
  return typeof noted === 'number' ? noted : command.at
}

/** It is over. */
export async function forgetSent(ledger: SentLedger, command: Command): Promise<void> {
  if (ledger.node !== undefined) await ledger.append([], { marks: { [getMark(command)]: undefined } })
}

function getMark({ client, id }: Command): string {
  return `terminal/sent/${JSON.stringify([client, id])}`
}

import type { Ledger, SessionKey } from '@remora/ledger'
import type { Command } from '@remora/protocol'
import { EventMaker } from '@remora/sdk/terminal'
import type { Approvals } from '../core/approvals.ts'
import { recoverCommands } from '../host/recover-commands.ts'
import type { LiveRecord } from './live-record.ts'
import { findPending } from './terminal-asks.ts'

/** Settles the asks and commands of a session that ended while no server watched it, and records its end. */
export async function closeSession(
  { ledger, approvals }: { readonly ledger: Ledger; readonly approvals: Approvals },
  record: LiveRecord,
): Promise<Command[]> {
  const { id, agent, session, channel } = record
  await withdrawAsks({ ledger, approvals }, record)
  if (channel === 'acp') await recoverCommands(ledger, { agent, session })
  const refused = [
    ...(await refuseOpenCommands(ledger, { agent, session })),
    // Commands that were submitted before the agent's own id was known.
    ...(await refuseOpenCommands(ledger, { agent, session: id })),
  ]
  const maker = new EventMaker({ agent, channel, source: id, session })
  maker.next(undefined, 'ended')
  await ledger.append([{ events: [maker.makeOnly({ type: 'status', entity: session, status: 'ended' })] }])
  return refused
}

/** Withdraws the asks of a session whose agent can no longer get an answer. */
export async function withdrawAsks(
  { ledger, approvals }: { readonly ledger: Pick<Ledger, 'asks'>; readonly approvals: Approvals },
  record: LiveRecord,
): Promise<void> {
  for (const { ask, ...key } of await findPending(ledger, record))
    await approvals.settle(key, ask.id, { by: 'cancel' })
}

/** Refuses the open commands of an agent that has ended. */
export async function refuseOpenCommands(
  ledger: Pick<Ledger, 'commands'>,
  session: SessionKey,
  why = 'The agent ended',
): Promise<Command[]> {
  const refused: Command[] = []
  for (const state of ['queued', 'sent'] as const)
    for (const command of await ledger.commands.list({ session, state })) {
      const moved = await ledger.commands.move(command, state, 'refused', why)
      if (moved) refused.push(moved)
    }
  return refused
}

import type { Command } from '@remora/protocol'
import type { Context } from '../context.ts'
import type { Who } from '../security/who.ts'

/** Decisions that stand in the audit log: what an agent may do without asking, and that it is over. */
const noted = new Set<Command['body']['kind']>(['mode', 'end'])

/** Gives a command for somebody. The same one again is the same, also in the audit log. */
export async function submitCommand(
  { live, ledger }: Pick<Context, 'live' | 'ledger'>,
  command: Pick<Command, 'id' | 'target' | 'body'>,
  who: Who,
): Promise<Command> {
  const began = Date.now()
  const stored = await live.submit({ ...command, client: who.client })
  const { kind } = command.body
  // One that was stored before was noted then.
  if (noted.has(kind) && stored.at >= began && stored.state !== 'refused') {
    const detail = command.body.kind === 'mode' ? { mode: command.body.mode } : undefined
    await ledger.audit.append({ what: kind, who: who.signature, ...stored.target, ...(detail && { detail }) })
  }
  return stored
}

import { isWaitedFor } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Command, Cursor } from '@remora/protocol/plain'
import { type CommandExecutor, recoverSent } from './command-executor.ts'
import { getPromptText, hasArrived } from './prompt-parts.ts'

/** The cursor before a prompt was sent to the agent, and the time by the clock of this machine. */
export type SentMark = Cursor & { readonly at?: number }

/** The mark under which it is stored. */
export function getSentMark({ client, id }: Pick<Command, 'client' | 'id'>): string {
  return `host/sent/${JSON.stringify([client, id])}`
}

/** Settles commands and asks that a killed host left open. No prompt is sent twice. */
export async function recoverCommands(
  ledger: Pick<Ledger, 'append' | 'asks' | 'commands' | 'leases' | 'marks' | 'read'>,
  key: SessionKey,
): Promise<void> {
  const { commands } = ledger
  const move: CommandExecutor['move'] = (...args) => commands.move(...args)
  const prompts = await recoverSent({ ledger, key, move, isRepeatable: () => false })
  for (const command of prompts) {
    if (await hasPromptArrived(ledger, key, command)) await move(command, 'sent', 'done')
    else
      await move(
        command,
        'sent',
        'refused',
        'Remora stopped while sending. The prompt may not have reached the agent.',
      )
    await ledger.append([], { marks: { [getSentMark(command)]: undefined } })
  }
  for (const { ask } of await ledger.asks.pending(key))
    if (!(await isWaitedFor(ledger, ask.id)))
      await ledger.asks.answer(key, { ask: ask.id, by: 'cancel', digest: ask.digest })
}

/** Whether the ledger has the prompt of a command as a message of the user. */
async function hasPromptArrived(
  ledger: Pick<Ledger, 'marks' | 'read'>,
  session: SessionKey,
  command: Command,
): Promise<boolean> {
  if (command.body.kind !== 'prompt') return false
  const mark = getSentMark(command)
  const after = (await ledger.marks(mark)).get(mark) as SentMark | undefined
  const text = getPromptText(command.body.content)
  return hasArrived(ledger, session, text, { at: after?.at ?? command.at, after })
}

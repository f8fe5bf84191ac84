import { isWaitedFor } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Block, Command, Cursor } from '@remora/protocol/plain'
import { promptParts } from './prompt-parts.ts'

/** The cursor before a prompt was sent to the agent, and the time by the clock of this machine. */
export type SentMark = Cursor & { readonly at?: number }

/** The mark under which it is stored. */
export function sentMark({ client, id }: Pick<Command, 'client' | 'id'>): string {
  return `host/sent/${JSON.stringify([client, id])}`
}

/** Settles commands and asks that a killed host left open. No prompt is sent twice. */
export async function recoverCommands(
  ledger: Pick<Ledger, 'append' | 'asks' | 'commands' | 'leases' | 'marks' | 'read'>,
  key: SessionKey,
): Promise<void> {
  for (const command of await ledger.commands.list({ session: key, state: 'sent' })) {
    const { body } = command
    const arrived = body.kind === 'prompt' && (await hasArrived(ledger, key, command, body.content))
    if (arrived) await ledger.commands.move(command, 'sent', 'done')
    else
      await ledger.commands.move(
        command,
        'sent',
        'refused',
        lost[body.kind === 'prompt' ? 'prompt' : 'other'],
      )
    await ledger.append([], { marks: { [sentMark(command)]: undefined } })
  }
  for (const { ask } of await ledger.asks.pending(key))
    if (!(await isWaitedFor(ledger, ask.id)))
      await ledger.asks.answer(key, { ask: ask.id, by: 'cancel', digest: ask.digest })
}

const lost = {
  prompt: 'Remora stopped while sending. The prompt may not have reached the agent.',
  other: 'Remora stopped before the command ran',
}

/** Tolerated clock difference between processes. */
const slackMs = 5_000

/** Whether the ledger has the prompt as a message of the user. */
async function hasArrived(
  ledger: Pick<Ledger, 'marks' | 'read'>,
  session: SessionKey,
  command: Command,
  content: readonly Block[],
): Promise<boolean> {
  const mark = sentMark(command)
  const from = (await ledger.marks(mark)).get(mark) as SentMark | undefined
  const { at = command.at } = from ?? {}
  const text = getText(content)
  for (let after: Cursor | undefined = from; ;) {
    const page = await ledger.read({ session, ...(after === undefined ? {} : { after }) })
    for (const { event } of page.events)
      if (
        event.type === 'message' &&
        event.role === 'user' &&
        event.at >= at - slackMs &&
        getText(event.content ?? []) === text
      )
        return true
    if (page.events.length === 0) return false
    after = page.cursor
  }
}

/** The text without whitespace, which differs between channels. */
function getText(content: readonly Block[]): string {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text
    return block.type === 'slash_command' ? (promptParts([block]) as string) : ''
  })
  // The word joiner keeps a text from running as a command.
  return texts.join('').replaceAll(/[\s\u2060\u2800]+/g, '')
}

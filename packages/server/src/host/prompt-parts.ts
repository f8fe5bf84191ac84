import type { Ledger, SessionKey } from '@remora/ledger'
import { type Block, type Cursor, type PromptKind, RemoraError } from '@remora/protocol/plain'
import type { PromptContent, PromptPart } from '@remora/sdk/acp'
import type { PromptBody } from './command-executor.ts'

/**
 * Converts a prompt to the form of the sdk. Throws for blocks that a prompt cannot contain.
 *
 * @example toPromptParts([{ type: 'text', text: 'Which test is slow?' }]) // 'Which test is slow?'
 */
export function toPromptParts(content: readonly Block[]): PromptContent {
  const parts = content.map(toPart)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function toPart(block: Block): PromptPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'slash_command': {
      const { command, args } = block
      const name = command.startsWith('/') ? command : `/${command}`
      return { type: 'text', text: args ? `${name} ${args}` : name }
    }
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return toMediaPart(block)
    default:
      throw new RemoraError('usage', `Unsupported prompt part ${block.type}`, {
        hint: 'Use text, images, audio or files.',
      })
  }
}

function toMediaPart(block: Extract<Block, { type: 'image' | 'audio' | 'video' | 'document' }>): PromptPart {
  const { type, source, name } = block
  switch (source.type) {
    case 'file':
      return {
        type: 'file',
        path: source.path,
        ...(source.media_type === undefined ? {} : { mediaType: source.media_type }),
      }
    case 'url':
      return {
        type: 'link',
        uri: source.url,
        ...(name === undefined ? {} : { name }),
        ...(source.media_type === undefined ? {} : { mediaType: source.media_type }),
      }
    default:
      if (type === 'image' || type === 'audio')
        return { type, data: source.data, mediaType: source.media_type }
      throw new RemoraError('unsupported', `A prompt cannot contain a ${type}`, {
        hint: 'Save it as a file and put its path in the prompt.',
      })
  }
}

/** The kind of a prompt: as given, else by a leading slash command block, else text. */
export function getPromptKind({
  content,
  promptKind,
}: Pick<PromptBody, 'content' | 'promptKind'>): PromptKind {
  return promptKind ?? (content[0]?.type === 'slash_command' ? 'slash' : 'text')
}

/** Tolerated clock difference between processes. */
const slackMs = 5_000

/** Whether the ledger has the text as a message of the user: after a cursor, and not older than the prompt. */
export async function hasArrived(
  ledger: Pick<Ledger, 'read'>,
  session: SessionKey,
  text: string,
  { at, after }: { readonly at: number; readonly after?: Cursor | undefined },
): Promise<boolean> {
  const wanted = squeeze(text)
  for (let cursor = after; ;) {
    const page = await ledger.read({ session, ...(cursor === undefined ? {} : { after: cursor }) })
    for (const { event } of page.events)
      if (
        event.type === 'message' &&
        event.role === 'user' &&
        event.at >= at - slackMs &&
        squeeze(getPromptText(event.content ?? [])) === wanted
      )
        return true
    if (page.events.length === 0) return false
    cursor = page.cursor
  }
}

/** The text of a prompt, with its slash commands as they are typed. */
export function getPromptText(content: readonly Block[]): string {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text
    return block.type === 'slash_command' ? (toPromptParts([block]) as string) : ''
  })
  return texts.join('\n')
}

/** Removes whitespace, which differs between channels, and the character that keeps a text from running as a command. */
export function squeeze(text: string): string {
  return text.replaceAll(/[\s\u2060\u2800]+/g, '')
}

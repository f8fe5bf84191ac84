import { type Block, mask } from '@remora/protocol/plain'
import { lead } from './summary.ts'

/** Who spoke last must be found among so many events of a session: a list shall not read all of a long one. */
export const scannedEvents = 300

const shown = 200
const longestWord = 4_000

/** The words of a message or of a text. Undefined where they came in pieces that have to be joined first. */
export function getMessageText(body: object): string | undefined {
  const { content, offset, text } = body as Partial<{ text: string; offset: number; content: Block[] }>
  if (offset === undefined) return (content ?? []).map(blockText).join(' ')
  return offset === 0 ? (text ?? '') : undefined
}

/** The beginning of what was said, on one line; secrets of known shape are masked. */
export function toPreview(text: string): string {
  return lead(beginning(text), shown)
}

/** Ends between two words, since half of a secret would not be known for one. */
function beginning(text: string): string {
  const rest = text.trimStart()
  const end = rest.slice(shown, shown + longestWord).search(/\s/)
  const cut = shown + (end === -1 ? longestWord : end)
  return mask(rest.slice(0, cut)) + (cut < rest.length ? '…' : '')
}

function blockText(block: Block): string {
  if (block.type === 'text') return block.text
  return block.type === 'slash_command' ? `${block.command} ${block.args ?? ''}` : ''
}

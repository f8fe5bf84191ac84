import { type Block, mask } from '@remora/protocol/plain'
import { lead } from './summary.ts'

/** Searches only this many events for the last message, so that listing long sessions stays fast. */
export const scannedEvents = 300

const previewLength = 200
const maxWordLength = 4_000

/** The text of a message or text event; undefined if it came in pieces that must be joined first. */
export function getMessageText(body: object): string | undefined {
  const { content, offset, text } = body as Partial<{ text: string; offset: number; content: Block[] }>
  if (offset === undefined) return (content ?? []).map(getBlockText).join(' ')
  return offset === 0 ? (text ?? '') : undefined
}

/** The beginning of a message on one line, with known secrets masked. */
export function toPreview(text: string): string {
  return lead(cutAndMask(text), previewLength)
}

/** Cuts between words, since half a secret would not be recognized. */
function cutAndMask(text: string): string {
  const rest = text.trimStart()
  const end = rest.slice(previewLength, previewLength + maxWordLength).search(/\s/)
  const cut = previewLength + (end === -1 ? maxWordLength : end)
  return mask(rest.slice(0, cut)) + (cut < rest.length ? '…' : '')
}

function getBlockText(block: Block): string {
  if (block.type === 'text') return block.text
  return block.type === 'slash_command' ? `${block.command} ${block.args ?? ''}` : ''
}

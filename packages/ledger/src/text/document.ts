import type { Block, Event, EventOf } from '@remora/protocol/plain'
import type { SearchHit } from '../model/ledger.ts'

/** The kinds of texts. The order is stored and must not change. */
export const documentKinds = [
  'prompt',
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'note',
] as const satisfies readonly DocumentKind[]
export type DocumentKind = SearchHit['kind']

export interface Document {
  readonly kind: DocumentKind
  /** The searchable text. For `text` and `thinking`, the part that this event adds. */
  readonly text: string
}

/** The event types that have text. */
export const textTypes = ['message', 'text', 'thinking', 'tool_use', 'tool_result', 'error'] as const

/** The rest of a longer text is not searchable. */
export const maxDocumentLength = 1_000_000

/** The text of an event, if it has any. Context that a CLI adds by itself is left out. */
export function toDocument(event: Event): Document | undefined {
  switch (event.type) {
    case 'message':
      if (event.context || event.role === 'assistant') return undefined
      return createDocument(
        event.role === 'user' ? 'prompt' : 'note',
        (event.content ?? []).map(getBlockText).join('\n'),
      )
    case 'text':
    case 'thinking':
      return { kind: event.type, text: event.text }
    case 'tool_use':
      return createDocument('tool_use', collectStrings(event.input).join('\n'))
    case 'tool_result':
      return createDocument('tool_result', getOutputText(event))
    case 'error':
      return createDocument('note', event.message)
    default:
      return undefined
  }
}

function createDocument(kind: DocumentKind, text: string): Document | undefined {
  return text === '' ? undefined : { kind, text: text.slice(0, maxDocumentLength) }
}

function getBlockText(block: Block): string {
  if (block.type === 'text') return block.text
  if (block.type === 'slash_command') return [block.command, block.args ?? ''].join(' ').trim()
  return ''
}

function getOutputText({ content, display }: EventOf<'tool_result'>): string {
  if (typeof content === 'string') return content
  if (content !== undefined)
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  return collectStrings(display).join('\n')
}

/** All strings in a value, in order. */
function collectStrings(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) collectStrings(each, found)
  return found
}

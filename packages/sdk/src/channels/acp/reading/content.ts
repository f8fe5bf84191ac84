import type { Block, MediaKind } from '@remora/protocol/plain'
import type { EventFields } from '../../../events/event-maker.ts'
import { fieldsOf, stringOf } from '../../../events/fields.ts'

/** The words of a content block, if it is one of words. @example textOf({ type: 'text', text: 'Hi' }) // 'Hi' */
export function textOf(content: unknown): string | undefined {
  const fields = fieldsOf(content)
  return fields?.['type'] === 'text' ? stringOf(fields['text']) : undefined
}

/** What a person sends in a prompt. @example promptBlocks([{ type: 'text', text: 'Hi' }]) */
export function promptBlocks(prompt: unknown): Block[] {
  return Array.isArray(prompt) ? (prompt as unknown[]).map(blockOf) : []
}

/** Something else than words that the agent shows; undefined for what is neither. */
export function mediaFields(content: unknown, entity: string): EventFields[] | undefined {
  if (!fieldsOf(content)) return undefined
  const block = blockOf(content)
  if (!('source' in block)) return undefined
  const { type: kind, source, name } = block
  return [{ type: 'media', entity, kind, source, ...(name === undefined ? {} : { name }) }]
}

function blockOf(content: unknown): Block {
  const block = fieldsOf(content) ?? {}
  const text = textOf(block)
  if (text !== undefined) return { type: 'text', text }
  const resource = fieldsOf(block['resource']) ?? block
  const data = stringOf(resource['data']) ?? stringOf(resource['blob'])
  const url = stringOf(resource['uri'])
  const mime = stringOf(resource['mimeType'])
  const name = stringOf(block['name'])
  const named = name === undefined ? {} : { name }
  const words = stringOf(resource['text'])
  if (words !== undefined) return { type: 'text', text: url === undefined ? words : `${url}\n${words}` }
  const type = kindOf(mime ?? '')
  if (data !== undefined)
    return {
      type,
      source: { type: 'base64', media_type: mime ?? 'application/octet-stream', data },
      ...named,
    }
  if (url !== undefined)
    return {
      type,
      source: { type: 'url', url, ...(mime === undefined ? {} : { media_type: mime }) },
      ...named,
    }
  // A kind that we do not know is better seen than lost.
  return { type: 'text', text: JSON.stringify(content) ?? '' }
}

function kindOf(mime: string): MediaKind {
  return (['image', 'audio', 'video'] as const).find((kind) => mime.startsWith(`${kind}/`)) ?? 'document'
}

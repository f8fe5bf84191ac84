import type { Block, MediaKind } from '@remora/protocol/plain'
import type { EventFields } from '../../../events/event-maker.ts'
import { asRecord, asString } from '../../../events/fields.ts'

/** Reads the text of a content block; undefined for other kinds. @example readText({ type: 'text', text: 'Hi' }) // 'Hi' */
export function readText(content: unknown): string | undefined {
  const fields = asRecord(content)
  return fields?.['type'] === 'text' ? asString(fields['text']) : undefined
}

/** What a person sends in a prompt. @example promptBlocks([{ type: 'text', text: 'Hi' }]) */
export function promptBlocks(prompt: unknown): Block[] {
  return Array.isArray(prompt) ? (prompt as unknown[]).map(toBlock) : []
}

/** Reads non-text content of the agent; undefined for other values. */
export function mediaFields(content: unknown, entity: string): EventFields[] | undefined {
  if (!asRecord(content)) return undefined
  const block = toBlock(content)
  if (!('source' in block)) return undefined
  const { type: kind, source, name } = block
  return [{ type: 'media', entity, kind, source, ...(name === undefined ? {} : { name }) }]
}

function toBlock(content: unknown): Block {
  const block = asRecord(content) ?? {}
  const text = readText(block)
  if (text !== undefined) return { type: 'text', text }
  const resource = asRecord(block['resource']) ?? block
  const data = asString(resource['data']) ?? asString(resource['blob'])
  const url = asString(resource['uri'])
  const mime = asString(resource['mimeType'])
  const name = asString(block['name'])
  const named = name === undefined ? {} : { name }
  const embedded = asString(resource['text'])
  if (embedded !== undefined)
    return { type: 'text', text: url === undefined ? embedded : `${url}\n${embedded}` }
  const type = toMediaKind(mime ?? '')
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
  // Unknown kinds are shown instead of being lost.
  return { type: 'text', text: JSON.stringify(content) ?? '' }
}

function toMediaKind(mime: string): MediaKind {
  return (['image', 'audio', 'video'] as const).find((kind) => mime.startsWith(`${kind}/`)) ?? 'document'
}

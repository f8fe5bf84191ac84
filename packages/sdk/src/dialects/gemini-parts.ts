import type { Block, MediaBlock, MediaKind, MediaSource, ToolOutput } from '@remora/protocol/plain'
import { asRecord, asString } from '../events/fields.ts'

/** Normalizes content, which is a text, a part or a list of both. */
export function toParts(content: unknown): unknown[] {
  if (content === undefined || content === null) return []
  return Array.isArray(content) ? (content as unknown[]) : [content]
}

/** Reads the text of a content, without thoughts, calls and results. */
export function textIn(content: unknown): string {
  return toParts(content).map(readText).join('')
}

function readText(part: unknown): string {
  if (typeof part === 'string') return part
  const fields = asRecord(part)
  return fields?.['thought'] === true ? '' : (asString(fields?.['text']) ?? '')
}

const responses = ['functionResponse', 'functionCall']

/** Converts a user message to text, media or a slash command. Calls and results have their own events. */
export function toBlocks(content: unknown): Block[] {
  const parts = toParts(content)
  const command = parts.length === 1 ? /^\/([a-z][\w:-]*)(?:\s+(.*))?$/s.exec(readText(parts[0])) : null
  if (command)
    return [
      {
        type: 'slash_command',
        command: `/${command[1]}`,
        ...(command[2] === undefined ? {} : { args: command[2] }),
      },
    ]
  return parts.flatMap((part): Block[] => {
    const text = readText(part)
    if (text !== '') return [{ type: 'text', text }]
    const media = mediaPart(part)
    if (media) return [media]
    const fields = asRecord(part)
    // Unknown parts are shown as JSON instead of being lost.
    if (!fields || 'text' in fields || responses.some((name) => name in fields)) return []
    return Object.keys(fields).length === 0 ? [] : [{ type: 'text', text: JSON.stringify(fields) }]
  })
}

/** Lists the media in an answer of the model. */
export function listMedia(content: unknown): { kind: MediaKind; source: MediaSource }[] {
  return toParts(content).flatMap((part) => {
    const media = mediaPart(part)
    return media ? [{ kind: media.type, source: media.source }] : []
  })
}

/** Converts a part with inline bytes or a URL. */
export function mediaPart(part: unknown): MediaBlock | undefined {
  const inline = asRecord(asRecord(part)?.['inlineData'])
  const data = asString(inline?.['data'])
  if (inline && data !== undefined) {
    const type = asString(inline['mimeType']) ?? 'application/octet-stream'
    return { type: toMediaKind(type), source: { type: 'base64', media_type: type, data } }
  }
  const file = asRecord(asRecord(part)?.['fileData'])
  const url = asString(file?.['fileUri'])
  if (!file || url === undefined) return undefined
  const type = asString(file['mimeType'])
  return {
    type: toMediaKind(type ?? ''),
    source: { type: 'url', url, ...(type === undefined ? {} : { media_type: type }) },
  }
}

function toMediaKind(mediaType: string): MediaKind {
  const [kind] = mediaType.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

/** Reads the output of a call: the parts that answer it, or all parts if none names its call. */
export function readOutput(id: string, result: unknown): ToolOutput | undefined {
  if (typeof result === 'string') return result
  const parts = toParts(result)
  const answers = (part: unknown) => asRecord(asRecord(part)?.['functionResponse'])
  const own = parts.filter((part) => {
    const answer = answers(part)
    return !answer || answer['id'] === id
  })
  const blocks = (own.some(answers) ? own : parts).flatMap(outputBlocks)
  if (blocks.length === 0) return undefined
  if (blocks.every((block) => block.type === 'text')) return blocks.map((block) => block.text).join('\n')
  return blocks
}

function outputBlocks(part: unknown): Exclude<ToolOutput, string> {
  const media = mediaPart(part)
  if (media) return [media]
  const fields = asRecord(part)
  const answer = asRecord(fields?.['functionResponse'])
  if (answer) {
    const response = asRecord(answer['response'])
    const value = response?.['output'] ?? response?.['error'] ?? response
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return [{ type: 'text', text }, ...toParts(answer['parts']).flatMap(outputBlocks)]
  }
  const text = typeof part === 'string' ? part : asString(fields?.['text'])
  return text === undefined ? [] : [{ type: 'text', text }]
}

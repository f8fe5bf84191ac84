import type { Block, MediaBlock, MediaKind, MediaSource, Usage } from '@remora/protocol/plain'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** Content is a text, a part or a list of both. */
export function partsOf(content: unknown): unknown[] {
  if (content === undefined || content === null) return []
  return Array.isArray(content) ? (content as unknown[]) : [content]
}

/** The words of a content, without thoughts, calls and results. */
export function textIn(content: unknown): string {
  return partsOf(content).map(textOf).join('')
}

function textOf(part: unknown): string {
  if (typeof part === 'string') return part
  const fields = asRecord(part)
  return fields?.['thought'] === true ? '' : (asString(fields?.['text']) ?? '')
}

// The last one is how 0.27 asks the model to go on after an answer that broke off.
const contexts =
  /^\s*(?:<(?:session_context|hook_context|scratchpad|state_snapshot|system-reminder)>|System: Please continue\.$|(?:User has manually exited Plan Mode|Plan approved)\. Switching to )/

/** Whether the CLI says it to the model by itself. */
export function isContext(content: unknown): boolean {
  return contexts.test(textIn(content))
}

/**
 * What a person said of a content to which the CLI has added something: its context may stand before it, in a part of
 * its own or in the same one.
 *
 * @example personsParts([{ text: '<session_context>…</session_context>' }, { text: 'Go.' }]) // [{ text: 'Go.' }]
 */
export function personsParts(content: unknown): unknown[] {
  return partsOf(content).flatMap((part) => {
    if (!isContext(part)) return [part]
    const rest = textOf(part).replace(added, '').trim()
    return rest === '' || isContext(rest) ? [] : [{ text: rest }]
  })
}

const added =
  /^\s*(?:<(session_context|hook_context|scratchpad|state_snapshot|system-reminder)>.*?<\/\1>\s*)+/s

/** The summary that stands for messages which the CLI has compressed. */
export function summaryIn(content: unknown): string | undefined {
  return /<state_snapshot>.*<\/state_snapshot>/s.exec(textIn(content))?.[0]
}

/** The folder that the CLI names to the model as its workspace. */
export function workspaceIn(content: unknown): string | undefined {
  return /\*\*Workspace Directories:\*\*\n {2}- (.+)/.exec(textIn(content))?.[1]
}

const responses = ['functionResponse', 'functionCall']

/** What a person sent: text and media; a command is told as one. Calls and results are told elsewhere. */
export function blocksOf(content: unknown): Block[] {
  const parts = partsOf(content)
  const command = parts.length === 1 ? /^\/([a-z][\w:-]*)(?:\s+(.*))?$/s.exec(textOf(parts[0])) : null
  if (command)
    return [
      {
        type: 'slash_command',
        command: `/${command[1]}`,
        ...(command[2] === undefined ? {} : { args: command[2] }),
      },
    ]
  return parts.flatMap((part): Block[] => {
    const text = textOf(part)
    if (text !== '') return [{ type: 'text', text }]
    const media = mediaPart(part)
    if (media) return [media]
    const fields = asRecord(part)
    // A part that we do not know is better seen than lost.
    if (!fields || 'text' in fields || responses.some((name) => name in fields)) return []
    return Object.keys(fields).length === 0 ? [] : [{ type: 'text', text: JSON.stringify(fields) }]
  })
}

/** Media that the model gave. */
export function mediaOf(content: unknown): { kind: MediaKind; source: MediaSource }[] {
  return partsOf(content).flatMap((part) => {
    const media = mediaPart(part)
    return media ? [{ kind: media.type, source: media.source }] : []
  })
}

/** Bytes in a part, or the address of some. */
export function mediaPart(part: unknown): MediaBlock | undefined {
  const inline = asRecord(asRecord(part)?.['inlineData'])
  const data = asString(inline?.['data'])
  if (inline && data !== undefined) {
    const type = asString(inline['mimeType']) ?? 'application/octet-stream'
    return { type: kindOf(type), source: { type: 'base64', media_type: type, data } }
  }
  const file = asRecord(asRecord(part)?.['fileData'])
  const url = asString(file?.['fileUri'])
  if (!file || url === undefined) return undefined
  const type = asString(file['mimeType'])
  return {
    type: kindOf(type ?? ''),
    source: { type: 'url', url, ...(type === undefined ? {} : { media_type: type }) },
  }
}

function kindOf(mediaType: string): MediaKind {
  const [kind] = mediaType.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

export interface Thought {
  readonly text: string
  readonly subject?: string
  readonly description?: string
}

/** Thoughts stand beside the content, or in it after the CLI rewrote its history. */
export function thoughtsOf(record: AgentRecord): Thought[] {
  const thoughts = partsOf(record['thoughts']).flatMap((value) => {
    const { subject, description } = asRecord(value) ?? {}
    const parts = defined({ subject: asString(subject), description: asString(description) })
    const text = [parts.subject, parts.description].filter(Boolean).join(': ')
    return text === '' ? [] : [{ text, ...parts }]
  })
  if (thoughts.length > 0) return thoughts
  return partsOf(record['content']).flatMap((part) => {
    const fields = asRecord(part)
    const text = asString(fields?.['text'])
    return fields?.['thought'] === true && text ? [{ text }] : []
  })
}

/** What one answer cost. */
export function tokensOf(value: unknown): Usage | undefined {
  const tokens = asRecord(value)
  if (!tokens) return undefined
  return defined({
    inputTokens: asCount(tokens['input']),
    outputTokens: asCount(tokens['output']),
    totalTokens: asCount(tokens['total']),
    cachedTokens: asCount(tokens['cached']),
    thoughtTokens: asCount(tokens['thoughts']),
    toolTokens: asCount(tokens['tool']),
  })
}

import type { Block, MediaBlock, MediaKind, MediaSource, Usage } from '@remora/protocol/plain'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

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

// The "Please continue" alternative is how 0.27 resumes an interrupted answer.
const contexts =
  /^\s*(?:<(?:session_context|hook_context|scratchpad|state_snapshot|system-reminder)>|System: Please continue\.$|(?:User has manually exited Plan Mode|Plan approved)\. Switching to )/

/** Whether the content is context that the CLI added. */
export function isContext(content: unknown): boolean {
  return contexts.test(textIn(content))
}

/**
 * Removes the CLI's context from a user message. It may precede the user's text in its own part or in the same one.
 *
 * @example personsParts([{ text: '<session_context>…</session_context>' }, { text: 'Go.' }]) // [{ text: 'Go.' }]
 */
export function personsParts(content: unknown): unknown[] {
  return toParts(content).flatMap((part) => {
    if (!isContext(part)) return [part]
    const rest = readText(part).replace(added, '').trim()
    return rest === '' || isContext(rest) ? [] : [{ text: rest }]
  })
}

const added =
  /^\s*(?:<(session_context|hook_context|scratchpad|state_snapshot|system-reminder)>.*?<\/\1>\s*)+/s

/** Finds the summary that replaces compressed messages. */
export function summaryIn(content: unknown): string | undefined {
  return /<state_snapshot>.*<\/state_snapshot>/s.exec(textIn(content))?.[0]
}

/** Finds the workspace folder in the CLI's context. */
export function workspaceIn(content: unknown): string | undefined {
  return /\*\*Workspace Directories:\*\*\n {2}- (.+)/.exec(textIn(content))?.[1]
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

export interface Thought {
  readonly text: string
  readonly subject?: string
  readonly description?: string
}

/** Reads the thoughts, which are beside the content, or inside it after the CLI rewrote its history. */
export function readThoughts(record: AgentRecord): Thought[] {
  const thoughts = toParts(record['thoughts']).flatMap((value) => {
    const { subject, description } = asRecord(value) ?? {}
    const parts = defined({ subject: asString(subject), description: asString(description) })
    const text = [parts.subject, parts.description].filter(Boolean).join(': ')
    return text === '' ? [] : [{ text, ...parts }]
  })
  if (thoughts.length > 0) return thoughts
  return toParts(record['content']).flatMap((part) => {
    const fields = asRecord(part)
    const text = asString(fields?.['text'])
    return fields?.['thought'] === true && text ? [{ text }] : []
  })
}

/** Reads the token counts of an answer. */
export function readUsage(value: unknown): Usage | undefined {
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

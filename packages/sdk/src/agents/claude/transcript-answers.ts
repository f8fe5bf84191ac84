import { RecentMap } from '../../dialects/claude-frame.ts'
import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import {
  isToolResult,
  toToolResult,
  toToolUse,
  toMessageUsage,
  toPromptContent,
} from '../../dialects/claude-content.ts'
import { dialect } from './dialect.ts'

/** What was read of a message: the number of blocks of each kind, and the largest token counts of its lines. */
interface Progress {
  text: number
  thinking: number
  tokens: number
  output: number
}

/**
 * Reads the assistant's messages of a transcript, which has one block per line. The n-th block of a kind in a message
 * has the same entity as in the stream.
 */
export class Answers {
  readonly #progress: RecentMap<Progress>

  constructor(state: unknown) {
    // Sub-agents may write at the same time, so lines of several messages alternate.
    this.#progress = new RecentMap(20, state)
  }

  state(): unknown {
    return [...this.#progress]
  }

  /** Empty for a record without content; undefined for an unknown one. */
  read(record: AgentRecord, entity: string): EventFields[] | undefined {
    const message = asRecord(record['message'])
    const content = message?.['content']
    if (!message || (typeof content !== 'string' && !Array.isArray(content))) return undefined
    const id = asString(message['id']) ?? entity
    const synthetic = message['model'] === '<synthetic>'
    if (record['isApiErrorMessage'] === true || (synthetic && typeof record['error'] === 'string'))
      return [toRefusal(record, content, entity)]
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown[])
    // The CLI writes this where it did not ask the model.
    if (synthetic && asString(asRecord(blocks[0])?.['text']) === 'No response requested.') return []
    const model = synthetic ? undefined : asString(message['model'])
    const fields: EventFields[] = []
    let progress = this.#progress.get(id)
    if (!progress) {
      progress = { text: 0, thinking: 0, tokens: -1, output: -1 }
      fields.push({ type: 'message', entity: id, role: 'assistant', ...(model ? { model } : {}) })
    }
    this.#progress.set(id, progress)
    for (const value of blocks) {
      const block = asRecord(value) ?? {}
      const known = toBlockFields(block, id, progress)
      if (known) fields.push(known)
      else if (block['type'] !== 'redacted_thinking')
        fields.push({ type: 'unknown', entity: `${id}/unknown`, what: 'assistant/block', raw: value })
    }
    const usage = toNewUsage(asRecord(message['usage']), progress)
    if (usage)
      fields.push({ type: 'usage', entity: id, scope: 'message', usage, ...(model ? { model } : {}) })
    return fields
  }
}

/** An API error, which the CLI writes as a message of the assistant. */
function toRefusal(record: AgentRecord, content: unknown, entity: string): EventFields {
  const type = asString(record['error'])
  const texts = toPromptContent(content).map((block) => (block.type === 'text' ? block.text : ''))
  const message = texts.join('\n') || type || 'The model refused'
  const status = asCount(record['apiErrorStatus'])
  return {
    type: 'error',
    entity,
    code: classifyError({ message, type, status }).code,
    severity: 'error',
    message,
  }
}

function toBlockFields(block: AgentRecord, id: string, progress: Progress): EventFields | undefined {
  const kind = block['type']
  if (kind !== 'text' && kind !== 'thinking')
    return (
      toToolUse(block, id, dialect) ??
      (isToolResult(block) ? toToolResult(block, undefined, dialect) : undefined)
    )
  const text = asString(block[kind])
  if (text === undefined) return undefined
  return {
    type: kind,
    entity: `${id}/${kind}/${progress[kind]++}`,
    message: id,
    offset: 0,
    text,
    final: true,
  }
}

/** Each line repeats the tokens of its message as known at that time, so the largest counts are right. */
function toNewUsage(usage: AgentRecord | undefined, progress: Progress) {
  const known = usage && toMessageUsage(usage)
  const tokens = known?.totalTokens
  const output = known?.outputTokens ?? 0
  if (!known || tokens === undefined || tokens === 0) return undefined
  if (tokens < progress.tokens || (tokens === progress.tokens && output <= progress.output)) return undefined
  progress.tokens = tokens
  progress.output = output
  return known
}

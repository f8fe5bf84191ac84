import type { Block, ToolOutput, Usage } from '@remora/protocol/plain'
import { type Failure, classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toClaude, toStatus } from './tools.ts'

// A message is the same record in the output of a run and in a session file.

/** Why a message of the assistant has no proper end; undefined if it has one. */
export function findFailure(message: AgentRecord): Failure | undefined {
  const reason = message['stopReason']
  if (reason !== 'error' && reason !== 'aborted') return undefined
  return { message: asString(message['errorMessage']) ?? `The request ended with ${reason}` }
}

/** The start of an answer. pi names a model by its provider and id. */
export function readAnswerStart(message: AgentRecord, entity: string): EventFields[] {
  return [{ type: 'message', entity, role: 'assistant', ...toModel(message) }]
}

/** A finished answer: its texts, calls, tokens and error. */
export function readAnswer(message: AgentRecord, entity: string): EventFields[] {
  const failure = findFailure(message)
  const fields = toItems(message['content']).flatMap((item, index): EventFields[] => {
    switch (item['type']) {
      case 'text':
      case 'thinking': {
        const text = asString(item[item['type']])
        if (!text) return []
        const end = failure ? {} : { final: true as const }
        const part = `${entity}/${index}`
        return [{ type: item['type'], entity: part, message: entity, offset: 0, text, ...end }]
      }
      case 'toolCall':
        return readCall(item, entity, failure !== undefined)
      default:
        return [{ type: 'unknown', entity: `${entity}/unknown`, what: 'assistant/block', raw: item }]
    }
  })
  const counts = asRecord(message['usage'])
  const usage = counts && toUsage(counts)
  if (usage && usage.totalTokens !== 0)
    fields.push({ type: 'usage', entity, scope: 'message', usage, ...toModel(message), ...toCost(counts) })
  if (failure && message['stopReason'] === 'error') {
    const { code } = classifyError(failure)
    fields.push({ type: 'error', entity, code, severity: 'warning', message: failure.message })
  }
  return fields
}

/** pi does not run the calls of an answer that was cut off. */
function readCall(item: AgentRecord, message: string, isCut: boolean): EventFields[] {
  const entity = asString(item['id'])
  const name = asString(item['name'])
  if (entity === undefined || name === undefined) return []
  const input = item['arguments'] ?? {}
  const native = { name, input }
  return [
    { type: 'tool_use', entity, message, ...toClaude(name, input), native },
    ...(isCut ? [{ type: 'tool_result', entity, status: 'cancelled' } as const] : []),
  ]
}

/** The result of a call. `result` has `content`, and `details` for what the terminal shows. */
export function readResult(
  entity: string | undefined,
  result: AgentRecord,
  isError: boolean,
): EventFields[] | undefined {
  if (entity === undefined) return undefined
  const content = toOutput(result['content'])
  const display = asRecord(result['details'])
  const status = toStatus(isError, typeof content === 'string' ? content.trim() : '')
  const shown = display && Object.keys(display).length > 0 ? { display } : {}
  return [{ type: 'tool_result', entity, status, content, ...shown }]
}

/** A message of an extension: for the user if it is displayed, else only for the model. */
export function readNote(note: AgentRecord, entity: string): EventFields[] {
  const content = toBlocks(note['content'])
  return note['display'] === true
    ? [{ type: 'message', entity, role: 'system', content }]
    : [{ type: 'message', entity, role: 'user', content, context: true }]
}

/** The content of a prompt or a note: a text, or texts and images. */
export function toBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return toItems(content).flatMap((item): Block[] => {
    const image = toImage(item)
    if (image) return [image]
    const text = asString(item['text'])
    return text === undefined ? [] : [{ type: 'text', text }]
  })
}

/** The content of a prompt without the space that keeps pi from taking it for a command. */
export function toPrompt(content: unknown): Block[] {
  return toBlocks(content).map((block) =>
    block.type === 'text' ? { ...block, text: block.text.replace(/^ (?=\s*\/)/, '') } : block,
  )
}

function toOutput(content: unknown): ToolOutput {
  const blocks = toBlocks(content)
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (texts.length === blocks.length) return texts.join('\n')
  return blocks.flatMap((block) =>
    block.type === 'text' || block.type === 'image' ? [block as Exclude<ToolOutput, string>[number]] : [],
  )
}

function toImage({ type, data, mimeType }: AgentRecord) {
  if (type !== 'image' || typeof data !== 'string') return undefined
  const source = { type: 'base64', media_type: asString(mimeType) ?? 'image/png', data } as const
  return { type: 'image', source } as const
}

function toItems(content: unknown): AgentRecord[] {
  return Array.isArray(content) ? (content as unknown[]).map((item) => asRecord(item) ?? {}) : []
}

function toModel({ provider, model }: AgentRecord): { model?: string } {
  return typeof model === 'string' && typeof provider === 'string' ? { model: `${provider}/${model}` } : {}
}

/** pi counts the input without what came from a cache or went into one. */
function toUsage(counts: AgentRecord): Usage {
  const plain = asCount(counts['input'])
  const read = asCount(counts['cacheRead'])
  const written = asCount(counts['cacheWrite'])
  return defined({
    inputTokens: plain === undefined ? undefined : plain + (read ?? 0) + (written ?? 0),
    outputTokens: asCount(counts['output']),
    totalTokens: asCount(counts['totalTokens']),
    cachedTokens: read,
    cacheWriteTokens: written,
  })
}

/** A cost of 0 may only mean that pi does not know the price. */
function toCost(counts: AgentRecord): { costUsd?: number } {
  const total = asRecord(counts['cost'])?.['total']
  return Number.isFinite(total) && (total as number) > 0 ? { costUsd: total as number } : {}
}

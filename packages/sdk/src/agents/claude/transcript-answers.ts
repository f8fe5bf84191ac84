import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { isToolResult, toolResult, toolUse } from './blocks.ts'
import { messageUsage, promptContent } from './content.ts'
import { RecentMap } from './transcript-threads.ts'

/** How far a message has been told: blocks of each kind, and the most tokens that a line of it told. */
interface Told {
  text: number
  thinking: number
  tokens: number
  output: number
}

/**
 * The assistant's messages in a session's file, one block a line. The n-th block of a kind in a message is the same
 * entity as in the stream.
 */
export class Answers {
  readonly #told: RecentMap<Told>

  constructor(state: unknown) {
    // Sub-agents may write at the same time, and their lines stand between.
    this.#told = new RecentMap(20, state)
  }

  state(): unknown {
    return [...this.#told]
  }

  /** Empty for what says nothing; undefined for what we do not know. */
  read(record: AgentRecord, entity: string): EventFields[] | undefined {
    const message = asRecord(record['message'])
    const content = message?.['content']
    if (!message || (typeof content !== 'string' && !Array.isArray(content))) return undefined
    const id = asString(message['id']) ?? entity
    const synthetic = message['model'] === '<synthetic>'
    if (record['isApiErrorMessage'] === true || (synthetic && typeof record['error'] === 'string'))
      return [refusal(record, content, entity)]
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown[])
    // What the CLI writes where it did not ask the model.
    if (synthetic && asString(asRecord(blocks[0])?.['text']) === 'No response requested.') return []
    const model = synthetic ? undefined : asString(message['model'])
    const fields: EventFields[] = []
    let told = this.#told.get(id)
    if (!told) {
      told = { text: 0, thinking: 0, tokens: -1, output: -1 }
      fields.push({ type: 'message', entity: id, role: 'assistant', ...(model ? { model } : {}) })
    }
    this.#told.set(id, told)
    for (const value of blocks) {
      const block = asRecord(value) ?? {}
      const known = blockOf(block, id, told)
      if (known) fields.push(known)
      else if (block['type'] !== 'redacted_thinking')
        fields.push({ type: 'unknown', entity: `${id}/unknown`, what: 'assistant/block', raw: value })
    }
    const usage = usageOf(asRecord(message['usage']), told)
    if (usage)
      fields.push({ type: 'usage', entity: id, scope: 'message', usage, ...(model ? { model } : {}) })
    return fields
  }
}

/** The API's refusal, which the CLI puts into the assistant's mouth. */
function refusal(record: AgentRecord, content: unknown, entity: string): EventFields {
  const type = asString(record['error'])
  const words = promptContent(content).map((block) => (block.type === 'text' ? block.text : ''))
  const message = words.join('\n') || type || 'The model refused'
  const status = asCount(record['apiErrorStatus'])
  return {
    type: 'error',
    entity,
    code: classifyError({ message, type, status }).code,
    severity: 'error',
    message,
  }
}

function blockOf(block: AgentRecord, id: string, told: Told): EventFields | undefined {
  const kind = block['type']
  if (kind !== 'text' && kind !== 'thinking')
    return toolUse(block, id) ?? (isToolResult(block) ? toolResult(block, undefined) : undefined)
  const text = asString(block[kind])
  if (text === undefined) return undefined
  return { type: kind, entity: `${id}/${kind}/${told[kind]++}`, message: id, offset: 0, text, final: true }
}

/** Each line repeats the tokens of its message as far as they were known; the one that tells the most is right. */
function usageOf(usage: AgentRecord | undefined, told: Told) {
  const known = usage && messageUsage(usage)
  const tokens = known?.totalTokens
  const output = known?.outputTokens ?? 0
  if (!known || tokens === undefined || tokens === 0) return undefined
  if (tokens < told.tokens || (tokens === told.tokens && output <= told.output)) return undefined
  told.tokens = tokens
  told.output = output
  return known
}

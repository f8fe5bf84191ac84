import type { Event, Usage } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { ClaudeFrame } from '../../dialects/claude-frame.ts'
import { listMedia, readOutput, textIn, toBlocks, toParts } from '../../dialects/gemini-parts.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toToolStatus } from './dialect.ts'
import { toClaude } from './tools.ts'

/** Reads session files: the frame of Claude's records around Gemini's content parts. */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  const state = asRecord(file.state) ?? {}
  maker.session = asString(state['session']) ?? ''
  const frame = new ClaudeFrame(maker, state, state['prompts'])
  return {
    state: () => ({ ...frame.state(), prompts: frame.prompts() }),
    read(record): Event[] | undefined {
      frame.begin(record)
      const start = frame.start(record)
      const fields = readFields(record, maker, frame)
      if (fields === undefined && start.length === 0) return undefined
      // The record's own fields come first, since the first event carries the raw record.
      const own = [...(fields ?? []), ...start]
      if (own.length === 0) own.push(frame.session({}))
      own[0]!.raw = record
      return own.map((each) => maker.make(each))
    },
  }
}

function readFields(record: AgentRecord, maker: EventMaker, frame: ClaudeFrame): EventFields[] | undefined {
  const entity = asString(record['uuid'])
  const parts = asRecord(record['message'])?.['parts']
  if (entity === undefined) return undefined
  switch (record['type']) {
    case 'user':
      return frame.branch(record, readPrompt(record, entity, parts))
    case 'assistant':
      return readAnswer(record, entity, parts)
    case 'tool_result':
      return readResult(record, parts)
    case 'system':
      return readSystem(record, entity, maker, frame)
    default:
      return undefined
  }
}

function readPrompt(record: AgentRecord, entity: string, parts: unknown): EventFields[] {
  const from = record['provenance']
  const isTyped = from === undefined || from === 'real_user'
  const content = toBlocks(parts).map((block) =>
    // What comes from standard input is followed by two line feeds.
    block.type === 'text' ? { ...block, text: block.text.replace(/\n\n$/, '') } : block,
  )
  return [{ type: 'message', entity, role: 'user', content, ...(isTyped ? {} : { context: true as const }) }]
}

function readAnswer(record: AgentRecord, entity: string, parts: unknown): EventFields[] {
  const model = asString(record['model'])
  const about = defined({ model })
  const usage = readUsage(record['usageMetadata'])
  const fields: EventFields[] = [{ type: 'message', entity, role: 'assistant', ...about }]
  if (usage) fields.push({ type: 'usage', entity, scope: 'message', usage, ...about })
  const thoughts = toParts(parts)
    .map(asRecord)
    .filter((part) => part?.['thought'] === true)
  thoughts.forEach((part, index) => {
    const text = asString(part?.['text']) ?? ''
    fields.push({
      type: 'thinking',
      entity: `${entity}/thinking/${index}`,
      message: entity,
      offset: 0,
      text,
      final: true,
    })
  })
  const text = textIn(parts)
  if (text !== '')
    fields.push({ type: 'text', entity: `${entity}/text`, message: entity, offset: 0, text, final: true })
  listMedia(parts).forEach((media, index) =>
    fields.push({ type: 'media', entity: `${entity}/media/${index}`, message: entity, ...media }),
  )
  for (const part of toParts(parts)) {
    const call = asRecord(asRecord(part)?.['functionCall'])
    const id = asString(call?.['id'])
    const name = asString(call?.['name'])
    if (id === undefined || name === undefined) continue
    const input = call?.['args'] ?? {}
    fields.push({
      type: 'tool_use',
      entity: id,
      message: entity,
      ...toClaude(name, input),
      native: { name, input },
    })
  }
  return fields
}

/** The model's output includes its thoughts. */
function readUsage(value: unknown): Usage | undefined {
  const counts = asRecord(value)
  if (!counts) return undefined
  return defined({
    inputTokens: asCount(counts['promptTokenCount']),
    outputTokens: asCount(counts['candidatesTokenCount']),
    totalTokens: asCount(counts['totalTokenCount']),
    cachedTokens: asCount(counts['cachedContentTokenCount']),
    thoughtTokens: asCount(counts['thoughtsTokenCount']),
  })
}

function readResult(record: AgentRecord, parts: unknown): EventFields[] | undefined {
  const result = asRecord(record['toolCallResult'])
  const entity = asString(result?.['callId'])
  if (!result || entity === undefined) return undefined
  const content = readOutput(entity, parts)
  const display = result['resultDisplay']
  const status =
    result['status'] === 'cancelled' && !isDenied(content)
      ? 'cancelled'
      : result['errorType'] === 'execution_denied'
        ? 'denied'
        : toToolStatus(result['status'] !== 'success', content, display)
  return [
    {
      type: 'tool_result',
      entity,
      status,
      ...(content === undefined ? {} : { content }),
      ...(asRecord(display) ? { display } : {}),
    },
  ]
}

const isDenied = (content: unknown) =>
  toToolStatus(true, typeof content === 'string' ? content : '', undefined) === 'denied'

function readSystem(
  record: AgentRecord,
  entity: string,
  maker: EventMaker,
  frame: ClaudeFrame,
): EventFields[] {
  const payload = asRecord(record['systemPayload']) ?? {}
  switch (record['subtype']) {
    case 'custom_title': {
      const title = asString(payload['customTitle'])
      return title === undefined ? [] : [frame.session({ title })]
    }
    case 'chat_compression':
      return [{ type: 'status', entity: maker.session, status: 'compacting', detail: 'compacted' }]
    case 'slash_command': {
      const [, command, args] =
        /^(\S+)(?:\s+(.*))?$/s.exec(asString(payload['rawCommand'])?.trim() ?? '') ?? []
      if (command === undefined || payload['phase'] !== 'invocation') return []
      const content = [{ type: 'slash_command' as const, command, ...(args ? { args } : {}) }]
      return [{ type: 'message', entity, role: 'user', content }]
    }
    // Telemetry and snapshots, which repeat what other records say.
    default:
      return []
  }
}

import { basename, dirname } from 'node:path'
import type { Block, Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { classifyError } from '../../events/classify-error.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toModeName } from './modes.ts'
import { toFailure } from './stream.ts'
import { toToolStatus } from './tool-status.ts'
import { toClaude } from './tools.ts'
import { toUsage } from './usage.ts'

/** Records without a meaning for the conversation: progress, statistics, and what other records repeat. */
const silent = new RegExp(
  `^(?:${[
    'metadata|runtime\\.set_binding|forked|context\\.clear|interruptionReminder\\.recorded',
    '(?:agent|cron|file_history|goal|interaction|llm|mcp|plugin|prompt|swarm_mode|task|token_counting|tools|tower_mode)\\.[\\w.]+',
    'permission\\.record_approval_result|plan\\.revision|full_compaction\\.(?:cancel|complete)',
    'subagent\\.(?:cancelled|failed|spawned|started)|turn\\.(?:cancel|prompt|steer|step\\.interrupted)',
  ].join('|')})$`,
)

/** How many prompts can be undone. */
const maxPrompts = 100

/** Reads `wire.jsonl`: the records from which Kimi restores a session. */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  return new KimiTranscript(maker, file)
}

class KimiTranscript implements TranscriptReader {
  readonly #maker: EventMaker
  /** The calls that run, by the id of their record. */
  readonly #calls: Map<string, string>
  /** The last prompts. */
  #prompts: string[]
  #mode: string
  #step: string
  /** Whether the last step has no content yet. */
  #isEmpty = true
  #notes: number

  constructor(maker: EventMaker, { path, state }: TranscriptFile) {
    const { session, calls, prompts, mode, step, isEmpty, notes } = asRecord(state) ?? {}
    this.#maker = maker
    // sessions/<project>/<session>/agents/main/wire.jsonl
    maker.session = asString(session) ?? basename(dirname(dirname(dirname(path))))
    this.#calls = new Map(Object.entries((asRecord(calls) ?? {}) as Record<string, string>))
    this.#prompts = Array.isArray(prompts) ? (prompts as string[]) : []
    this.#mode = asString(mode) ?? 'default'
    this.#step = asString(step) ?? ''
    this.#isEmpty = isEmpty !== false
    this.#notes = asCount(notes) ?? 0
  }

  state(): unknown {
    return {
      session: this.#maker.session,
      calls: Object.fromEntries(this.#calls),
      prompts: this.#prompts,
      mode: this.#mode,
      step: this.#step,
      isEmpty: this.#isEmpty,
      notes: this.#notes,
    }
  }

  read(record: AgentRecord): Event[] | undefined {
    const time = asCount(record['time']) ?? asCount(record['created_at'])
    if (time !== undefined) this.#maker.at = time
    const fields = this.#fields(record)
    if (!fields) return undefined
    if (fields.length === 0) fields.push({ type: 'session', entity: this.#maker.session })
    fields[0]!.raw = record
    return fields.map((each) => this.#maker.make(each))
  }

  #fields(record: AgentRecord): EventFields[] | undefined {
    const { session: entity } = this.#maker
    const type = asString(record['type']) ?? ''
    switch (type) {
      case 'profile.bind': {
        const cwd = asString(asRecord(record['environmentDisclosure'])?.['cwd'])
        return [{ type: 'session', entity, ...defined({ cwd, model: asString(record['modelAlias']) }) }]
      }
      case 'config.update': {
        const value = asString(record['modelAlias'])
        return value === undefined ? [] : [{ type: 'status', entity, status: 'model', value }]
      }
      case 'permission.set_mode':
        this.#mode = toModeName(record['mode']) ?? String(record['mode'])
        return [{ type: 'status', entity, status: 'mode', value: this.#mode }]
      case 'plan_mode.enter':
        return [{ type: 'status', entity, status: 'mode', value: 'plan' }]
      case 'plan_mode.cancel':
      case 'plan_mode.exit':
        return [{ type: 'status', entity, status: 'mode', value: this.#mode }]
      case 'context.append_message':
        return this.#message(asRecord(record['message']) ?? {})
      case 'context.append_loop_event':
        return this.#event(asRecord(record['event']) ?? {})
      case 'context.undo':
        return this.#undo(asCount(record['count']) ?? 1)
      case 'full_compaction.begin':
        return [{ type: 'status', entity, status: 'compacting' }]
      case 'context.apply_compaction':
        return [{ type: 'status', entity, status: 'compacting', detail: 'compacted' }]
      case 'turn.step.retrying':
        return this.#retry(record)
      case 'turn.ended':
        return this.#end(record)
      case 'usage.record':
        return [this.#usage(record, record['usageScope'] === 'turn' ? this.#step : '')]
      case 'subagent.completed':
        return [this.#usage(record, '')]
      default:
        return silent.test(type) ? [] : undefined
    }
  }

  #message(message: AgentRecord): EventFields[] {
    const content = toBlocks(message['content'])
    const origin = asRecord(message['origin'])?.['kind']
    const isPrompt = message['role'] === 'user' && (origin === undefined || origin === 'user')
    const entity = asString(message['id']) ?? `${this.#maker.session}/note/${++this.#notes}`
    if (!isPrompt) return [{ type: 'message', entity, role: 'user', content, context: true }]
    this.#prompts = [...this.#prompts, entity].slice(-maxPrompts)
    return [{ type: 'message', entity, role: 'user', content }]
  }

  #event(event: AgentRecord): EventFields[] | undefined {
    const uuid = asString(event['uuid']) ?? ''
    const message = asString(event['stepUuid']) ?? this.#step
    switch (event['type']) {
      case 'step.begin':
        this.#step = uuid
        this.#isEmpty = true
        return [{ type: 'message', entity: uuid, role: 'assistant' }]
      case 'step.end':
        return []
      case 'content.part': {
        const part = asRecord(event['part']) ?? {}
        const text = asString(part['text']) ?? asString(part['think'])
        if (text === undefined || part['hidden'] === true) return []
        this.#isEmpty = false
        const type = part['type'] === 'think' ? 'thinking' : 'text'
        return [{ type, entity: uuid, message, offset: 0, text, final: true }]
      }
      case 'tool.call': {
        const name = asString(event['name']) ?? ''
        const input = event['args'] ?? {}
        const entity = `${asString(event['turnId']) ?? 0}:${asString(event['toolCallId']) ?? ''}`
        this.#calls.set(uuid, entity)
        return [{ type: 'tool_use', entity, message, ...toClaude(name, input), native: { name, input } }]
      }
      case 'tool.result':
        return this.#result(event)
      default:
        return undefined
    }
  }

  #result(event: AgentRecord): EventFields[] {
    const call = asString(event['parentUuid']) ?? ''
    const result = asRecord(event['result']) ?? {}
    const { output } = result
    const content = typeof output === 'string' ? output : toText(output)
    const entity = this.#calls.get(call) ?? `0:${asString(event['toolCallId']) ?? ''}`
    this.#calls.delete(call)
    return [
      { type: 'tool_result', entity, status: toToolStatus(content, result['isError'] === true), content },
    ]
  }

  /** The text of a failed attempt is not part of the conversation. */
  #retry(record: AgentRecord): EventFields[] {
    const { session: entity } = this.#maker
    const detail = asString(record['errorMessage'])
    const to = this.#isEmpty ? undefined : asString(record['stepId'])
    return [
      { type: 'status', entity, status: 'retrying', ...defined({ detail }) },
      ...(to === undefined ? [] : [{ type: 'status', entity, status: 'rewound', value: { to } } as const]),
    ]
  }

  #undo(count: number): EventFields[] {
    const to = this.#prompts.at(-count)
    if (to === undefined) return []
    this.#prompts = this.#prompts.slice(0, -count)
    return [{ type: 'status', entity: this.#maker.session, status: 'rewound', value: { to } }]
  }

  #end(record: AgentRecord): EventFields[] {
    const { session: entity } = this.#maker
    const { reason } = record
    const idle = { type: 'status', entity, status: 'idle' } as const
    this.#calls.clear()
    if (reason === 'cancelled') return [{ ...idle, detail: 'interrupted' }]
    const error = asRecord(record['error'])
    if (reason !== 'failed' || !error) return [idle]
    const failure = toFailure(asString(error['message']) ?? 'The turn failed', asString(error['code']))
    const { code, hint, retryable } = classifyError(failure)
    const about = { code, message: failure.message, hint, retryable }
    return [
      { type: 'error', entity: `${entity}/${String(record['turnId'])}/error`, ...about, severity: 'error' },
      idle,
    ]
  }

  #usage(record: AgentRecord, step: string): EventFields {
    const entity = step || `${this.#maker.session}/usage/${++this.#notes}`
    const model = asString(record['model'])
    return { type: 'usage', entity, scope: 'message', usage: toUsage(record['usage']), ...defined({ model }) }
  }
}

function toBlocks(content: unknown): Block[] {
  const parts = Array.isArray(content) ? (content as unknown[]).map((part) => asRecord(part) ?? {}) : []
  return parts.flatMap((part): Block[] => {
    const text = asString(part['text'])
    if (text !== undefined) return [{ type: 'text', text }]
    const url = asString(asRecord(part['imageUrl'])?.['url'])
    const [, media_type, data] = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(url ?? '') ?? []
    if (media_type === undefined || data === undefined) return []
    return [{ type: 'image', source: { type: 'base64', media_type, data } }]
  })
}

function toText(output: unknown): string {
  if (!Array.isArray(output)) return output === undefined ? '' : JSON.stringify(output)
  return toBlocks(output)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
}

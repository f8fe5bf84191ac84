import { basename } from 'node:path'
import type { Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { type EventFields, type EventMaker, parseTime } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { findWithdrawnPrompt } from './rewind.ts'
import { toUsage } from './content.ts'
import { findModeName } from './modes.ts'
import { toEventFields } from './transcript-events.ts'
import { toItemFields } from './transcript-items.ts'
import { Turns } from './transcript-turns.ts'

/** Reads a rollout: lines with a payload, and the bare items that versions before 0.32 wrote. */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  return new CodexTranscript(maker, file)
}

class CodexTranscript implements TranscriptReader {
  readonly #maker: EventMaker
  readonly #path: string
  readonly #turns: Turns
  #opened: boolean
  #parent: string | undefined
  /** Whether the file has tokens per response. Older versions only write their sum, sometimes repeatedly. */
  #records: boolean
  #total: string
  /** The mode of the last turn. */
  #mode: string | undefined

  constructor(maker: EventMaker, { path, state }: TranscriptFile) {
    const known = asRecord(state) ?? {}
    this.#maker = maker
    this.#path = path
    this.#turns = new Turns(known['turns'])
    this.#opened = known['opened'] === true
    this.#parent = asString(known['parent'])
    this.#records = known['records'] === true
    this.#total = asString(known['total']) ?? ''
    this.#mode = asString(known['mode'])
    if (typeof known['at'] === 'number') maker.at = known['at']
    maker.session = asString(known['session']) ?? parseThread(path) ?? ''
    this.#setParent()
  }

  state(): unknown {
    return defined({
      at: this.#maker.at,
      session: this.#maker.session,
      parent: this.#parent,
      opened: this.#opened,
      records: this.#records,
      total: this.#total,
      mode: this.#mode,
      turns: this.#turns.state(),
    })
  }

  read(record: AgentRecord): Event[] | undefined {
    const time = parseTime(record['timestamp'])
    if (time !== undefined) this.#maker.at = time
    const fields = this.#fields(record)
    if (fields === undefined) return undefined
    if (fields.length === 0) fields.push({ type: 'session', entity: this.#maker.session })
    return fields.map((each, index) => this.#maker.make(index === 0 ? { ...each, raw: record } : { ...each }))
  }

  #fields(record: AgentRecord): EventFields[] | undefined {
    const payload = asRecord(record['payload'])
    if (!payload) return this.#bare(record)
    switch (record['type']) {
      case 'session_meta':
        return this.#session(payload)
      case 'response_item':
        return toItemFields(payload, this.#turns, asRecord(record['metadata']))
      case 'event_msg':
        return payload['type'] === 'token_count'
          ? this.#count(asRecord(payload['info']))
          : toEventFields(payload, this.#turns, this.#maker.session)
      case 'turn_context':
        return this.#context(payload)
      case 'token_usage_record':
        this.#records = true
        return this.#usage(asRecord(payload['usage']))
      case 'compacted':
        return [{ type: 'status', entity: this.#maker.session, status: 'compacting', detail: 'compacted' }]
      case 'world_state':
        return []
      default:
        return undefined
    }
  }

  #bare(record: AgentRecord): EventFields[] | undefined {
    if (record['record_type'] === 'state') return []
    if (record['type'] !== undefined) return toItemFields(record, this.#turns, undefined)
    return typeof record['id'] === 'string' && 'timestamp' in record ? this.#session(record) : undefined
  }

  /** The first record is the file's own; in a fork, those of its ancestors follow. */
  #session(meta: AgentRecord): EventFields[] | undefined {
    const id = asString(meta['id'])
    if (this.#opened || id === undefined) return id === undefined ? undefined : []
    this.#opened = true
    const source = asRecord(asRecord(meta['source'])?.['subagent'])
    const parent = asString(asRecord(source?.['thread_spawn'])?.['parent_thread_id'])
    const session = asString(meta['session_id']) ?? parent ?? id
    this.#maker.session = session
    if (session !== id) this.#parent = id
    this.#setParent()
    this.#turns.cwd = asString(meta['cwd']) ?? ''
    this.#turns.thread = id
    const details = defined({ cwd: asString(meta['cwd']), version: asString(meta['cli_version']) })
    const base = asRecord(meta['history_base'])
    const to = base?.['thread_id'] === id ? findWithdrawnPrompt(this.#path, base) : undefined
    return [
      { type: 'session', entity: session, ...details },
      ...(to === undefined
        ? []
        : [{ type: 'status' as const, entity: session, status: 'rewound' as const, value: { to } }]),
    ]
  }

  /** A sub-agent has a file of its own, which is named by its thread. */
  #setParent(): void {
    if (this.#parent === undefined) return
    this.#maker.parent = this.#parent
    this.#maker.source = `transcript/${this.#parent}`
  }

  #context(context: AgentRecord): EventFields[] {
    this.#turns.begin(asString(context['turn_id']))
    this.#turns.cwd = asString(context['cwd']) ?? this.#turns.cwd
    const model = asString(context['model'])
    const mode = readMode(context)
    const fields: EventFields[] = []
    const entity = this.#maker.session
    if (model !== undefined && model !== this.#turns.model)
      fields.push({ type: 'status', entity, status: 'model', value: model })
    if (mode !== undefined && mode !== this.#mode)
      fields.push({ type: 'status', entity, status: 'mode', value: mode })
    this.#turns.model = model ?? this.#turns.model
    this.#mode = mode ?? this.#mode
    return fields
  }

  #count(info: AgentRecord | undefined): EventFields[] {
    const last = asRecord(info?.['last_token_usage'])
    const total = JSON.stringify(info?.['total_token_usage'] ?? null)
    if (this.#records || !last || total === this.#total) return []
    this.#total = total
    return this.#usage(last)
  }

  #usage(record: AgentRecord | undefined): EventFields[] {
    const usage = record ? toUsage(record) : {}
    if (usage.totalTokens === undefined) return []
    const { message, model } = this.#turns
    this.#turns.endAnswer()
    return [{ type: 'usage', entity: message, scope: 'message', usage, ...(model ? { model } : {}) }]
  }
}

/** The file name contains the thread, and after a rewind a second id. */
function parseThread(path: string): string | undefined {
  return /-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:_[\da-f-]+)?\.jsonl$/i.exec(basename(path))?.[1]
}

/** Undefined for a turn that does not name its sandbox, as in old files. */
function readMode(context: AgentRecord): string | undefined {
  const sandbox = asString(asRecord(context['sandbox_policy'])?.['type'])
  if (sandbox === undefined) return undefined
  return findModeName({
    sandbox,
    reviewer: context['approvals_reviewer'],
    approval: context['approval_policy'],
  })
}

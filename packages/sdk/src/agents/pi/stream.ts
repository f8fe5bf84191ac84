import { stripVTControlCharacters } from 'node:util'
import type { Event } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../../contract/agent.ts'
import type { Failure } from '../../events/classify-error.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined, findOwn } from '../../events/fields.ts'
import { type AgentRecord, readRecord } from '../../events/read-record.ts'
import { findFailure, readAnswer, readAnswerStart, readNote, readResult, toPrompt } from './content.ts'

/** Reads `--mode json`: the header of the session, then events of the agent. */
export function streamReader(maker: EventMaker, request: HeadlessRequest): HeadlessReader {
  return new StreamReader(maker, request)
}

/** Events that only repeat others, or show the state of pi itself. */
const repeated =
  /^(?:agent_(?:start|end)|turn_(?:start|end)|tool_execution_(?:start|update)|auto_retry_end|queue_update|session_info_changed|thinking_level_changed)$/

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: HeadlessRequest
  readonly #run: string
  #isOpen = false
  #messages = 0
  /** The message that is being written, and the length of each of its parts. */
  #entity = ''
  #lengths = new Map<number, number>()
  /** The last finished answer. */
  #answer: AgentRecord | undefined
  #turns = 0
  #cost = 0

  constructor(maker: EventMaker, request: HeadlessRequest) {
    this.#maker = maker
    this.#request = request
    // A run may start the CLI several times; each start has its own messages.
    this.#run = `${maker.source}/${maker.started()}`
    this.#entity = `${this.#run}/0`
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, (record) => {
      this.#maker.next(asCount(asRecord(record['message'])?.['timestamp']))
      const fields = this.#fields(record)
      if (!fields) return undefined
      const [first] = fields
      if (first) first.raw ??= toRaw(record)
      return fields.map((each) => this.#maker.make(each))
    })
  }

  /** pi ends with code 0 also if the model failed. */
  end(exit: { code: number | null }, stderr: string): Outcome {
    const answer = this.#answer
    const reason = asString(answer?.['stopReason'])
    const about = defined({
      turns: this.#turns || undefined,
      costUsd: this.#cost || undefined,
      stopReason: findOwn(stopReasons, reason) ?? reason,
    })
    const failure = answer ? findFailure(answer) : undefined
    if (failure) return { ok: false, failure, ...about }
    if (exit.code === 0 && answer) return { ok: true, ...about }
    return { ok: false, failure: explain(exit.code, stripVTControlCharacters(stderr)), ...about }
  }

  #fields(record: AgentRecord): EventFields[] | undefined {
    const message = asRecord(record['message'])
    switch (record['type']) {
      case 'session':
        return this.#open(record)
      case 'message_start':
        return message && this.#start(message)
      case 'message_update':
        return this.#update(asRecord(record['assistantMessageEvent']))
      case 'message_end':
        return message && this.#end(message)
      case 'tool_execution_end':
        return readResult(
          asString(record['toolCallId']),
          asRecord(record['result']) ?? {},
          record['isError'] === true,
        )
      case 'auto_retry_start': {
        const { attempt, maxAttempts, delayMs } = record
        const value = { attempt, maxRetries: maxAttempts, waitMs: delayMs }
        return this.#status('retrying', asString(record['errorMessage']), value)
      }
      case 'compaction_start':
        return this.#status('compacting', asString(record['reason']))
      case 'compaction_end':
        return this.#status('compacting', asString(record['errorMessage']) ?? 'compacted')
      default:
        return repeated.test(asString(record['type']) ?? '') ? [] : undefined
    }
  }

  #open(header: AgentRecord): EventFields[] | undefined {
    const id = asString(header['id'])
    if (id === undefined || this.#isOpen) return undefined
    this.#isOpen = true
    this.#maker.session = id
    const { resume, mode = 'bypassPermissions' } = this.#request
    const about = defined({ cwd: asString(header['cwd']), resumed: resume === undefined ? undefined : true })
    return [{ type: 'session', entity: id, ...about }, ...this.#status('mode', undefined, mode)]
  }

  #start(message: AgentRecord): EventFields[] | undefined {
    if (message['role'] === 'toolResult') return []
    this.#entity = `${this.#run}/${++this.#messages}`
    this.#lengths = new Map()
    const entity = this.#entity
    switch (message['role']) {
      case 'assistant':
        return readAnswerStart(message, entity)
      case 'user':
        return [{ type: 'message', entity, role: 'user', content: toPrompt(message['content']) }]
      case 'custom':
        return readNote(message, entity)
      default:
        return undefined
    }
  }

  #update(event: AgentRecord | undefined): EventFields[] | undefined {
    const type = { text_delta: 'text', thinking_delta: 'thinking' }[asString(event?.['type']) ?? '']
    // The calls, and what has ended, are in the finished message.
    if (type === undefined) return event && []
    const text = asString(event?.['delta'])
    const index = asCount(event?.['contentIndex'])
    if (text === undefined || index === undefined) return undefined
    const offset = this.#lengths.get(index) ?? 0
    this.#lengths.set(index, offset + text.length)
    const entity = `${this.#entity}/${index}`
    return [{ type: type as 'text' | 'thinking', entity, message: this.#entity, offset, text }]
  }

  #end(message: AgentRecord): EventFields[] {
    if (message['role'] !== 'assistant') return []
    this.#answer = message
    this.#turns++
    const fields = readAnswer(message, this.#entity)
    for (const each of fields) if (each.type === 'usage') this.#cost += each.costUsd ?? 0
    return fields
  }

  #status(status: 'mode' | 'retrying' | 'compacting', detail?: string, value?: unknown): EventFields[] {
    return [{ type: 'status', entity: this.#maker.session, status, ...defined({ detail, value }) }]
  }
}

/** Each piece of a text comes with two copies of the whole message, which would make a run's size quadratic. */
function toRaw(record: AgentRecord): AgentRecord {
  if (record['type'] !== 'message_update') return record
  const { partial: _, ...event } = asRecord(record['assistantMessageEvent']) ?? {}
  return { type: 'message_update', assistantMessageEvent: event }
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  toolUse: 'tool_use',
}

/** Without an answer, the last line of standard error is the reason. */
function explain(code: number | null, stderr: string): Failure {
  const other = /^Session found in different project: (.+)$/m.exec(stderr)?.[1]
  if (other !== undefined) return { message: `The session belongs to another folder: ${other}` }
  const reason = stderr
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '' && !/^at |^Warning: /.test(line))
  return { message: reason?.replace(/^Error: /, '') ?? `pi ended with code ${code} and without an answer` }
}

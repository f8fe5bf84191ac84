import type { Block, Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { ClaudeFrame } from '../../dialects/claude-frame.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { isToolResult, toToolResult } from '../../dialects/claude-content.ts'
import { dialect } from './dialect.ts'
import { toName } from './modes.ts'
import { Answers } from './transcript-answers.ts'
import { readAttachmentNotice, toNote, readSystemNotice } from './transcript-notices.ts'
import { Opening } from './transcript-opening.ts'
import { Threads, parseOwner, readStartingCall } from './transcript-threads.ts'
import { readUserText } from './user-text.ts'

/** Reads the transcript of a session or of a sub-agent. */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  return new ClaudeTranscript(maker, file)
}

/** Records of the CLI's own state, which have nothing of the conversation. */
const internalTypes = new Set<unknown>([
  'agent-color',
  'agent-name',
  'agent-setting',
  'atis-latch',
  'attribution-snapshot',
  'content-replacement',
  'cost-state',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'pr-link',
  'queue-operation',
  'tag',
  'tools-used',
  'worktree-state',
])

/** Claude's log of its requests. It repeats prompts and tool results. */
const requestLog = new Set<unknown>(['api-request', 'api-request-blob', 'api-request-shape'])

class ClaudeTranscript implements TranscriptReader {
  readonly #maker: EventMaker
  readonly #parent: string | undefined
  readonly #frame: ClaudeFrame
  readonly #threads: Threads
  readonly #answers: Answers
  #named: boolean
  /** The mode of the last prompt. */
  #mode: string | undefined
  readonly #opening: Opening
  /** Calls that were denied last. A following interruption shows that they were running. */
  #refused: string[]
  #count: number

  constructor(maker: EventMaker, { path, state }: TranscriptFile) {
    const known = asRecord(state) ?? {}
    const owner = parseOwner(path)
    this.#maker = maker
    this.#frame = new ClaudeFrame(maker, known, asRecord(known['threads'])?.['prompts'])
    this.#threads = new Threads(known['threads'])
    this.#answers = new Answers(known['answers'])
    this.#named = known['named'] === true
    this.#mode = asString(known['mode'])
    this.#opening = new Opening(known['opening'])
    this.#refused = Array.isArray(known['refused']) ? (known['refused'] as string[]) : []
    this.#count = typeof known['count'] === 'number' ? known['count'] : 0
    maker.session = owner.session ?? asString(known['session']) ?? ''
    if (owner.agent === undefined) return
    this.#parent = asString(known['parent']) ?? readStartingCall(path) ?? owner.agent
    maker.source = `transcript/${owner.agent}`
  }

  state(): unknown {
    return defined({
      ...this.#frame.state(),
      parent: this.#parent,
      named: this.#named,
      mode: this.#mode,
      opening: this.#opening.state(),
      refused: this.#refused,
      count: this.#count,
      threads: { prompts: this.#frame.prompts(), ...this.#threads.state() },
      answers: this.#answers.state(),
    })
  }

  read(record: AgentRecord): Event[] | undefined {
    const ready = this.#opening.add(record)
    // A record that waits for another one, or comes after others that waited, is kept in its place by an empty event.
    if (ready[0] !== record) return [...this.#placeholder(record), ...this.#readAll(ready)]
    const events = this.#readOne(record)
    const others = this.#readAll(ready.slice(1))
    return events || others.length === 0
      ? events && [...events, ...others]
      : [unknownRecord(this.#maker, record), ...others]
  }

  needsEveryRecord(): boolean {
    return this.#opening.isOpen
  }

  isWaiting(): boolean {
    return this.#opening.isWaiting
  }

  /** Reads records whose link leads to nothing in the file. */
  flush(): Event[] {
    const waiting = this.#opening.flush()
    if (waiting.length === 0) return []
    this.#maker.next(this.#maker.at, 'held', asString(waiting[0]!['uuid']))
    return this.#readAll(waiting)
  }

  #placeholder(record: AgentRecord): Event[] {
    this.#frame.begin(record)
    return [this.#maker.make({ ...this.#frame.session({}), raw: record })]
  }

  #readAll(records: readonly AgentRecord[]): Event[] {
    return records.flatMap((each) => this.#readOne(each) ?? [unknownRecord(this.#maker, each)])
  }

  #readOne(record: AgentRecord): Event[] | undefined {
    // These records repeat others, and are stored only so that the file can be restored.
    if (requestLog.has(record['type'])) return this.#placeholder(record)
    this.#frame.begin(record)
    const side = this.#parent === undefined && record['isSidechain'] === true
    this.#maker.parent = side ? this.#threads.findCall(record) : this.#parent
    const start = this.#frame.start(record)
    const fields = this.#fields(record)
    const mode = this.#readMode(record)
    if (fields === undefined && start.length + mode.length === 0) return undefined
    // The record's own fields come first, since the first event carries the raw record.
    const own = [...(fields ?? []), ...start, ...mode]
    if (own.length === 0) own.push(this.#frame.session({}))
    own[0]!.raw = record
    return own.map((each) => this.#maker.make(each))
  }

  #fields(record: AgentRecord): EventFields[] | undefined {
    const entity = asString(record['uuid']) ?? `${this.#maker.session}/${this.#count++}`
    switch (record['type']) {
      case 'user':
        return this.#user(record, entity)
      case 'assistant':
        return this.#assistant(record, entity)
      case 'system': {
        const fields = readSystemNotice(record, { session: this.#maker.session, entity })
        return fields && this.#frame.branch(record, fields)
      }
      case 'attachment': {
        const attachment = asRecord(record['attachment'])
        return attachment && readAttachmentNotice(attachment, entity)
      }
      case 'progress':
        return this.#status('working', asString(asRecord(record['data'])?.['type']))
      case 'permission-mode': {
        const value = toName(asString(record['permissionMode']))
        if (value !== undefined) this.#mode = value
        return value === undefined ? undefined : this.#status('mode', undefined, value)
      }
      case 'custom-title':
        this.#named = true
        return this.#title(record['customTitle'])
      case 'ai-title':
        return this.#named ? [] : this.#title(record['aiTitle'])
      case 'summary':
        return this.#named ? [] : this.#title(record['summary'])
      default:
        return internalTypes.has(record['type']) ? [] : undefined
    }
  }

  /** Every prompt has the mode in which it was sent. */
  #readMode(record: AgentRecord): EventFields[] {
    const value = record['type'] === 'user' ? toName(asString(record['permissionMode'])) : undefined
    if (value === undefined || value === this.#mode || this.#maker.parent !== undefined) return []
    this.#mode = value
    return this.#status('mode', undefined, value)
  }

  #status(status: 'working' | 'mode', detail?: string, value?: string): EventFields[] {
    return [{ type: 'status', entity: this.#maker.session, status, ...defined({ detail, value }) }]
  }

  #title(value: unknown): EventFields[] | undefined {
    const title = asString(value)
    return title === undefined ? undefined : [this.#frame.session({ title })]
  }

  #assistant(record: AgentRecord, entity: string): EventFields[] | undefined {
    const fields = this.#answers.read(record, entity)
    for (const each of fields ?? [])
      if (each.type === 'tool_use' && each.name === 'Task') this.#threads.addCall(each.entity, each.input)
    return fields
  }

  #user(record: AgentRecord, entity: string): EventFields[] | undefined {
    const content = asRecord(record['message'])?.['content']
    if (typeof content !== 'string' && !Array.isArray(content)) return undefined
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown[])
    const results = blocks
      .filter(isToolResult)
      .flatMap((block) => toToolResult(asRecord(block)!, record['toolUseResult'], dialect) ?? [])
    for (const { entity: call } of results) this.#threads.removeCall(call)
    const rest = blocks.filter((block) => !isToolResult(block))
    if (rest.length === 0) {
      this.#refused = results.flatMap((result) => (result.status === 'denied' ? [result.entity] : []))
      return results
    }
    return [...results, ...this.#userText(record, rest, entity)]
  }

  #userText(record: AgentRecord, blocks: readonly unknown[], entity: string): EventFields[] {
    const { from, content } = readUserText(record, blocks)
    if (content.length === 0) return []
    if (from === 'notice')
      return [...this.#interrupted(record), toNote(entity, content), ...this.#stopped(content)]
    const context = from === 'context' ? { context: true as const } : {}
    return this.#frame.branch(record, [{ type: 'message', entity, role: 'user', content, ...context }])
  }

  /** The CLI writes an interrupted call as a denied one; only the next record shows that the call was running. */
  #interrupted(record: AgentRecord): EventFields[] {
    const refused = this.#refused
    this.#refused = []
    if (typeof record['interruptedMessageId'] !== 'string') return []
    return refused.map((entity) => ({ type: 'tool_result', entity, status: 'cancelled' }))
  }

  /** No hook reports that the user interrupted the agent. */
  #stopped(content: readonly Block[]): EventFields[] {
    const [first] = content
    if (first?.type !== 'text' || !first.text.startsWith('[Request interrupted by user')) return []
    if (this.#maker.parent !== undefined) return []
    return [{ type: 'status', entity: this.#maker.session, status: 'idle', detail: 'cancelled' }]
  }
}

/** An unknown record that was read late. */
function unknownRecord(maker: EventMaker, record: AgentRecord): Event {
  const what = asString(record['type']) ?? 'record'
  return maker.make({ type: 'unknown', entity: `${maker.source}/unknown/${what}`, what, raw: record })
}

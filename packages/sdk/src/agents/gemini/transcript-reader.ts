import type { Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { classifyError } from '../../events/classify-error.ts'
import { computeDigest } from '../../events/digest.ts'
import { type EventMaker, parseTime } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { makeUnreadable } from '../../events/unreadable.ts'
import { projectOf, subagentOf } from './session-place.ts'
import { callEvents, responseEvents } from './transcript-calls.ts'
import {
  blocksOf,
  mediaOf,
  personsParts,
  summaryIn,
  textIn,
  thoughtsOf,
  tokensOf,
  workspaceIn,
} from './transcript-content.ts'

/** Reads session files of every version: a document up to 0.38, and from 0.39 lines that change what was said before. */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  return new GeminiTranscript(maker, file)
}

/** What is needed to go on in the middle of a file. */
interface State {
  readonly session?: string
  /** Calls of the last answer: the results behind it tell less of them than it did. */
  readonly told?: readonly string[]
  /** The last answer, and a digest of what it said: it is written again when its calls have ended. */
  readonly said?: readonly [id: string, digest: string]
  /** A digest of the summary that took the place of earlier messages last. */
  readonly summary?: string
}

class GeminiTranscript implements TranscriptReader {
  readonly #maker: EventMaker
  readonly #path: string
  #told: ReadonlySet<string>
  /** The last answer that was told, or what is remembered of it. */
  #answer: AgentRecord | undefined
  #said: State['said']
  #summary: string | undefined
  #project: { readonly path: string | undefined } | undefined

  constructor(maker: EventMaker, { path, state }: TranscriptFile) {
    const { session, told, said, summary } = (asRecord(state) ?? {}) as State
    this.#maker = maker
    this.#path = path
    this.#told = new Set(told)
    this.#said = said
    this.#summary = summary
    const subagent = subagentOf(path)
    maker.session = subagent?.parent ?? session ?? ''
    if (!subagent) return
    maker.parent = subagent.id
    maker.source = `transcript/${subagent.id}`
  }

  state(): State {
    const last = this.#answer
    const said = last ? ([String(last['id']), wordsDigest(last)] as const) : this.#said
    const summary = this.#summary
    return { session: this.#maker.session, told: [...this.#told], ...defined({ said, summary }) }
  }

  read(record: AgentRecord): Event[] | undefined {
    const time = parseTime(record['timestamp']) ?? parseTime(record['lastUpdated'])
    if (time !== undefined) this.#maker.at = time
    if (typeof record['$rewindTo'] === 'string') return this.#rewind(record['$rewindTo'], record)
    if (typeof record['id'] === 'string') return this.#message(record, record['id'], this.#maker.digest)
    const set = asRecord(record['$set'])
    if (set) return this.#state(set, record)
    if (typeof record['sessionId'] === 'string') return this.#header(record, record['sessionId'])
    return undefined
  }

  #header(record: AgentRecord, id: string): Event[] {
    if (this.#maker.parent === undefined) this.#maker.session = id
    if (!Array.isArray(record['messages'])) return this.#state(record, record)
    // A document: what is said of the whole, and then each message as if it stood alone.
    const { messages, ...about } = record
    const start = parseTime(about['startTime'])
    this.#maker.next(start, 'header', computeDigest(JSON.stringify(about)))
    return [...this.#state(about, about), ...this.#list(messages as unknown[], record)]
  }

  /** What is said of the session as a whole; a list of messages in it takes the place of all before. */
  #state(set: AgentRecord, record: AgentRecord): Event[] {
    const time = parseTime(set['lastUpdated']) ?? parseTime(set['startTime'])
    if (time !== undefined) this.#maker.at = time
    const messages = Array.isArray(set['messages']) ? (set['messages'] as unknown[]) : undefined
    // A start of the CLI writes its context as the whole list before it has read the file. Nobody took anything back.
    if (messages?.some((message) => isSaid(message))) return this.#list(messages, record)
    // Every second line says only that the one before it was written, which that one says itself.
    if (set !== record && Object.keys(set).every((key) => key === 'lastUpdated')) return []
    const session = this.#maker.session || this.#stem()
    const directories = Array.isArray(set['directories']) ? (set['directories'] as unknown[]) : []
    const first = messages?.map((message) => workspaceIn(asRecord(message)?.['content'])).find(Boolean)
    const head = this.#maker.make({
      type: 'session',
      entity: session,
      ...defined({
        cwd: this.#cwd() ?? first ?? asString(directories[0]),
        title: asString(set['summary']),
      }),
      raw: record,
    })
    return [head, ...(messages ?? []).flatMap((message) => this.#nested(message))]
  }

  #cwd(): string | undefined {
    this.#project ??= { path: projectOf(this.#path) }
    return this.#project.path
  }

  #list(messages: readonly unknown[], record: AgentRecord): Event[] {
    this.#said = this.#answer = undefined
    const ids = messages.flatMap((message) => asString(asRecord(message)?.['id']) ?? [])
    // A document loses messages only by a rewind. A list also loses those of an interrupted turn, which stay.
    const exact = !asRecord(record['$set']) || this.#isCompressed(messages)
    const value = { keep: ids, ...(exact ? { exact } : {}) }
    if (!asRecord(record['$set']))
      this.#maker.next(
        this.#maker.at,
        'list',
        computeDigest(`${ids.join()} ${String(record['lastUpdated'])}`),
      )
    const rewound = this.#maker.make({
      type: 'status',
      entity: this.#maker.session,
      status: 'rewound',
      value,
      ...(asRecord(record['$set']) ? { raw: record } : {}),
    })
    return [rewound, ...this.#inOrder(messages)]
  }

  /** Whether a summary that no list had before takes the place of messages. */
  #isCompressed(messages: readonly unknown[]): boolean {
    const summary = messages.map((message) => summaryIn(asRecord(message)?.['content'])).find(Boolean)
    const digest = summary && computeDigest(summary)
    const isNew = digest !== undefined && digest !== this.#summary
    this.#summary = digest
    return isNew
  }

  /** One record may collect the calls of many turns; by their times they go to where they were made. */
  #inOrder(messages: readonly unknown[]): Event[] {
    const events: Event[] = []
    let late: { readonly at: number; readonly events: Event[] }[] = []
    messages.forEach((message, index) => {
      const at = parseTime(asRecord(message)?.['timestamp']) ?? 0
      for (const call of late) if (call.at < at) for (const event of call.events) events.push(event)
      late = late.filter((call) => call.at >= at)
      const next = parseTime(asRecord(messages[index + 1])?.['timestamp']) ?? Infinity
      for (const event of this.#nested(message)) {
        const isCall = event.type === 'tool_use' || event.type === 'tool_result'
        if (isCall && event.at > next) late.push({ at: event.at, events: [event] })
        else events.push(event)
      }
    })
    return [...events, ...late.flatMap((call) => call.events)]
  }

  #nested(message: unknown): Event[] {
    const record = asRecord(message)
    if (!record) return []
    const text = JSON.stringify(record)
    const digest = computeDigest(text)
    try {
      return this.#message(record, asString(record['id']) ?? `#${digest}`, digest) ?? []
    } catch (error) {
      // One message of a list costs nothing but itself.
      this.#maker.next(this.#maker.at, `m:#${digest}`, digest)
      return [makeUnreadable(this.#maker, text, error)]
    }
  }

  /** A message in full, as it is now. The same message in a line and in a list is one record. */
  #message(record: AgentRecord, id: string, digest: string | undefined): Event[] | undefined {
    const at = parseTime(record['timestamp']) ?? this.#maker.at
    this.#maker.next(at, `m:${id}`, digest)
    switch (record['type']) {
      case 'user':
        return this.#user(record, id)
      case 'gemini':
        return this.#gemini(record, id, at)
      case 'info':
      case 'warning':
        return [
          this.#maker.make({
            type: 'message',
            entity: id,
            role: 'system',
            content: blocksOf(record['content']),
            raw: record,
          }),
          // Of a turn that ends so, no hook tells the end.
          ...(textIn(record['content']) === 'Request cancelled.'
            ? [
                this.#maker.make({
                  type: 'status',
                  entity: this.#maker.session,
                  status: 'idle',
                  detail: 'cancelled',
                }),
              ]
            : []),
        ]
      case 'error': {
        const message = textIn(record['content'])
        const { code } = classifyError({ message })
        return [
          this.#maker.make({ type: 'error', entity: id, code, severity: 'error', message, raw: record }),
        ]
      }
      default:
        return undefined
    }
  }

  #user(record: AgentRecord, id: string): Event[] {
    const responses = responseEvents(this.#maker, record, this.#told)
    // What a person typed stands apart where the CLI added the files that it names.
    const shown = record['displayContent'] ?? record['content']
    const words = personsParts(shown)
    const context = responses !== undefined || words.length === 0
    const content = blocksOf(context ? shown : words)
    if (responses && content.length === 0) return responses
    const head = this.#maker.make({
      type: 'message',
      entity: id,
      role: 'user',
      content,
      ...(context ? { context: true as const } : {}),
      raw: record,
    })
    return [head, ...(responses ?? [])]
  }

  #gemini(record: AgentRecord, id: string, at: number): Event[] {
    const maker = this.#maker
    const model = asString(record['model'])
    const events = [
      maker.make({
        type: 'message',
        entity: id,
        role: 'assistant',
        ...(model === undefined ? {} : { model }),
        raw: record,
      }),
    ]
    if (!this.#hasSaid(id, record)) for (const event of this.#words(record, id, model)) events.push(event)
    const calls = callEvents(maker, record, id)
    if (calls.ids.length > 0) this.#told = new Set(calls.ids)
    maker.at = at
    return [...events, ...calls.events]
  }

  /** Whether what an answer said was told already; then it is written again for the sake of its calls. */
  #hasSaid(id: string, record: AgentRecord): boolean {
    const last = this.#answer
    this.#answer = record
    if (!last) return this.#said?.[0] === id && this.#said[1] === wordsDigest(record)
    return last['id'] === id && last['content'] === record['content'] && wordsOf(last) === wordsOf(record)
  }

  #words(record: AgentRecord, id: string, model: string | undefined): Event[] {
    const maker = this.#maker
    const events: Event[] = []
    const usage = tokensOf(record['tokens'])
    if (usage)
      events.push(
        maker.make({
          type: 'usage',
          entity: id,
          scope: 'message',
          usage,
          ...(model === undefined ? {} : { model }),
        }),
      )
    thoughtsOf(record).forEach((thought, index) =>
      events.push(
        maker.make({
          type: 'thinking',
          entity: `${id}/thinking/${index}`,
          message: id,
          offset: 0,
          final: true,
          ...thought,
        }),
      ),
    )
    const text = textIn(record['content'])
    if (text !== '')
      events.push(
        maker.make({ type: 'text', entity: `${id}/text`, message: id, offset: 0, text, final: true }),
      )
    mediaOf(record['content']).forEach((media, index) =>
      events.push(maker.make({ type: 'media', entity: `${id}/media/${index}`, message: id, ...media })),
    )
    return events
  }

  #rewind(to: string, record: AgentRecord): Event[] {
    this.#said = this.#answer = undefined
    return [
      this.#maker.make({
        type: 'status',
        entity: this.#maker.session,
        status: 'rewound',
        value: { to },
        raw: record,
      }),
    ]
  }

  /** The id of a file whose header is lost. */
  #stem(): string {
    return /([^/\\]+)\.jsonl?$/.exec(this.#path)?.[1] ?? this.#path
  }
}

/** What an answer says beside its calls. */
function wordsOf({ content, thoughts, tokens }: AgentRecord): string {
  return JSON.stringify([content, thoughts, tokens])
}

function wordsDigest(record: AgentRecord): string {
  return computeDigest(wordsOf(record))
}

/** Whether a person or the model said it; context is the CLI's own. */
function isSaid(message: unknown): boolean {
  const record = asRecord(message)
  return record !== undefined && (record['type'] !== 'user' || personsParts(record['content']).length > 0)
}

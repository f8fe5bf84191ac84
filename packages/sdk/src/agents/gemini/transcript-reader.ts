import type { Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { classifyError } from '../../events/classify-error.ts'
import { computeDigest } from '../../events/digest.ts'
import { type EventMaker, parseTime } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import { type AgentRecord, makeUnreadable } from '../../events/read-record.ts'
import { readProject, parseSubagentPath } from './session-place.ts'
import { callEvents, responseEvents } from './transcript-calls.ts'
import { listMedia, textIn, toBlocks } from '../../dialects/gemini-parts.ts'
import { personsParts, summaryIn, readThoughts, readUsage, workspaceIn } from './transcript-content.ts'

/**
 * Reads session files of every version: one document up to 0.38, and lines that update earlier messages from 0.39 on.
 */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  return new GeminiTranscript(maker, file)
}

/** The state for continuing in the middle of a file. */
interface State {
  readonly session?: string
  /** Calls of the last answer. The separate results after it have fewer details. */
  readonly told?: readonly string[]
  /** The last answer's id and a digest of its content. It is rewritten when its calls have ended. */
  readonly said?: readonly [id: string, digest: string]
  /** A digest of the last summary that replaced earlier messages. */
  readonly summary?: string
}

class GeminiTranscript implements TranscriptReader {
  readonly #maker: EventMaker
  readonly #path: string
  #finished: ReadonlySet<string>
  /** The last answer, or what is remembered of it. */
  #answer: AgentRecord | undefined
  #lastAnswer: State['said']
  #summary: string | undefined
  #project: { readonly path: string | undefined } | undefined

  constructor(maker: EventMaker, { path, state }: TranscriptFile) {
    const { session, told, said, summary } = (asRecord(state) ?? {}) as State
    this.#maker = maker
    this.#path = path
    this.#finished = new Set(told)
    this.#lastAnswer = said
    this.#summary = summary
    const subagent = parseSubagentPath(path)
    maker.session = subagent?.parent ?? session ?? ''
    if (!subagent) return
    maker.parent = subagent.id
    maker.source = `transcript/${subagent.id}`
  }

  state(): State {
    const last = this.#answer
    const said = last ? ([String(last['id']), digestContent(last)] as const) : this.#lastAnswer
    const summary = this.#summary
    return { session: this.#maker.session, told: [...this.#finished], ...defined({ said, summary }) }
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
    // A document: first the fields of the session, then each message like a separate line.
    const { messages, ...about } = record
    const start = parseTime(about['startTime'])
    this.#maker.next(start, 'header', computeDigest(JSON.stringify(about)))
    return [...this.#state(about, about), ...this.#list(messages as unknown[], record)]
  }

  /** Reads the fields of the session. A list of messages among them replaces all earlier messages. */
  #state(set: AgentRecord, record: AgentRecord): Event[] {
    const time = parseTime(set['lastUpdated']) ?? parseTime(set['startTime'])
    if (time !== undefined) this.#maker.at = time
    const messages = Array.isArray(set['messages']) ? (set['messages'] as unknown[]) : undefined
    // A start of the CLI writes its context as the whole list before it has read the file. That is not a rewind.
    if (messages?.some((message) => isConversation(message))) return this.#list(messages, record)
    // Every second line only contains the time of the line before it, which has that time itself.
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
    this.#project ??= { path: readProject(this.#path) }
    return this.#project.path
  }

  #list(messages: readonly unknown[], record: AgentRecord): Event[] {
    this.#lastAnswer = this.#answer = undefined
    const ids = messages.flatMap((message) => asString(asRecord(message)?.['id']) ?? [])
    // A document loses messages only by a rewind. A list also loses those of an interrupted turn, which are kept.
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

  /** Whether a new summary replaces messages. */
  #isCompressed(messages: readonly unknown[]): boolean {
    const summary = messages.map((message) => summaryIn(asRecord(message)?.['content'])).find(Boolean)
    const digest = summary && computeDigest(summary)
    const isNew = digest !== undefined && digest !== this.#summary
    this.#summary = digest
    return isNew
  }

  /** One record may collect the calls of many turns, so calls are ordered by their times. */
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
      // A damaged message of a list costs only itself.
      this.#maker.next(this.#maker.at, `m:#${digest}`, digest)
      return [makeUnreadable(this.#maker, text, error)]
    }
  }

  /** Reads a full message. The same message in a line and in a list is one record. */
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
            content: toBlocks(record['content']),
            raw: record,
          }),
          // No hook reports the end of such a turn.
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
    const responses = responseEvents(this.#maker, record, this.#finished)
    // The user's own text is a separate field if the CLI added the files that it names.
    const shown = record['displayContent'] ?? record['content']
    const userParts = personsParts(shown)
    const context = responses !== undefined || userParts.length === 0
    const content = toBlocks(context ? shown : userParts)
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
    if (!this.#isUnchanged(id, record))
      for (const event of this.#contentEvents(record, id, model)) events.push(event)
    const calls = callEvents(maker, record, id)
    if (calls.ids.length > 0) this.#finished = new Set(calls.ids)
    maker.at = at
    return [...events, ...calls.events]
  }

  /** Whether the content of an answer is unchanged; then it was rewritten only to update its calls. */
  #isUnchanged(id: string, record: AgentRecord): boolean {
    const last = this.#answer
    this.#answer = record
    if (!last) return this.#lastAnswer?.[0] === id && this.#lastAnswer[1] === digestContent(record)
    return (
      last['id'] === id &&
      last['content'] === record['content'] &&
      stringifyContent(last) === stringifyContent(record)
    )
  }

  #contentEvents(record: AgentRecord, id: string, model: string | undefined): Event[] {
    const maker = this.#maker
    const events: Event[] = []
    const usage = readUsage(record['tokens'])
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
    readThoughts(record).forEach((thought, index) =>
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
    listMedia(record['content']).forEach((media, index) =>
      events.push(maker.make({ type: 'media', entity: `${id}/media/${index}`, message: id, ...media })),
    )
    return events
  }

  #rewind(to: string, record: AgentRecord): Event[] {
    this.#lastAnswer = this.#answer = undefined
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

  /** The id in the name of a file without a header. */
  #stem(): string {
    return /([^/\\]+)\.jsonl?$/.exec(this.#path)?.[1] ?? this.#path
  }
}

/** The content of an answer without its calls. */
function stringifyContent({ content, thoughts, tokens }: AgentRecord): string {
  return JSON.stringify([content, thoughts, tokens])
}

function digestContent(record: AgentRecord): string {
  return computeDigest(stringifyContent(record))
}

/** Whether the message is of the user or the model, not context added by the CLI. */
function isConversation(message: unknown): boolean {
  const record = asRecord(message)
  return record !== undefined && (record['type'] !== 'user' || personsParts(record['content']).length > 0)
}

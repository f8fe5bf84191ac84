import type { Answer, Ask, Block, Event } from '@remora/protocol/plain'
import type { EventFields, EventMaker } from '../../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import type { AcpMessage, AcpReader, ReaderQuirks, ToClaude } from './acp-reader.ts'
import { mediaFields, promptBlocks, readText } from './content.ts'
import { toErrorFields } from './failed-fields.ts'
import { type PermissionRequest, readPermission, settled, tellCall } from './permission.ts'
import { fromNativeMode } from '../native-modes.ts'
import { findOption, readUsage, statusFields } from './session-status.ts'
import { toUnknownFields } from './unknown-fields.ts'
import { AcpCalls, type CallUpdate, type KnownCall } from './tool-calls.ts'

export type * from './acp-reader.ts'

/**
 * Reads what a client and an agent say to each other in ACP. Both sides number their requests by themselves.
 *
 * @example acpReader(maker, toClaude).read({ from: 'agent', message: { method: 'session/update', params: { … } } })
 */
export function acpReader(maker: EventMaker, toClaude: ToClaude, quirks: ReaderQuirks = {}): AcpReader {
  return new Reader(maker, toClaude, quirks)
}

interface Request {
  readonly method: string
  readonly params: AgentRecord
  readonly permission?: PermissionRequest
}

class Reader implements AcpReader {
  readonly #maker: EventMaker
  readonly #toClaude: ToClaude
  readonly #asked = { client: new Map<unknown, Request>(), agent: new Map<unknown, Request>() }
  readonly #conversations = new Map<string, Conversation>()
  readonly #quirks: ReaderQuirks
  readonly #decided = new Map<unknown, Pick<Answer, 'by' | 'device'>>()
  /** What was said before the first session, and the number that each message has on the wire. */
  readonly #preamble: { key: string; message: AgentRecord; at: number; isKnown: boolean }[] = []
  #count = 0
  #abandoned = 0
  #version: string | undefined

  constructor(maker: EventMaker, toClaude: ToClaude, quirks: ReaderQuirks) {
    this.#maker = maker
    this.#toClaude = toClaude
    this.#quirks = quirks
  }

  read({ from, message }: AcpMessage, at?: number): Event[] | undefined {
    const key = `${++this.#count}${from === 'client' ? 'c' : 'a'}`
    this.#maker.next(at, key)
    let fields: EventFields[] | undefined
    try {
      fields = this.#fields(from, message)
    } catch {
      // A message that makes us throw is one that we do not know. It costs nothing but itself.
    }
    // Extensions may send notifications before there is a session.
    if (this.#maker.session === '') {
      this.#preamble.push({ key, message, at: this.#maker.at, isKnown: fields !== undefined })
      return []
    }
    if (!fields) return undefined
    const events: Event[] = []
    let raw: AgentRecord | undefined = message
    for (const each of fields) {
      if (raw !== undefined) each.raw = raw
      raw = undefined
      events.push(this.#maker.make(each))
    }
    return this.#preamble.length > 0 && fields[0]?.type === 'session'
      ? [...events, ...this.#beginning()]
      : events
  }

  decided(request: unknown, by: Answer['by'], device?: string): void {
    this.#decided.set(request, { by, ...(device === undefined ? {} : { device }) })
  }

  ask(request: unknown): Ask | undefined {
    return this.#asked.agent.get(request)?.permission?.ask
  }

  abandon(session: string): Event[] {
    const conversation = this.#conversations.get(session)
    if (!conversation) return []
    const asks: EventFields[] = []
    for (const [id, { permission, params }] of this.#asked.agent) {
      if (!permission || params['sessionId'] !== session) continue
      const { ask } = permission
      this.#asked.agent.delete(id)
      asks.push({ type: 'answer', entity: ask.id, answer: { ask: ask.id, by: 'cancel', digest: ask.digest } })
    }
    conversation.working = false
    this.#maker.session = session
    this.#maker.next(undefined, `abandoned ${++this.#abandoned}`)
    return [...asks, ...conversation.calls.abandon()].map((each) => this.#maker.make(each))
  }

  forget(session: string): void {
    this.#conversations.delete(session)
  }

  restarted(): void {
    this.#asked.client.clear()
    this.#asked.agent.clear()
    this.#decided.clear()
  }

  call(session: string, id: string): KnownCall | undefined {
    return this.#conversations.get(session)?.calls.find(id)
  }

  /** The handshake, told now that there is a session to tell it of. */
  #beginning(): Event[] {
    return this.#preamble.splice(0).map(({ key, message, at, isKnown }) => {
      this.#maker.next(at, key)
      const fields = isKnown
        ? this.#mention(asString(message['method']))
        : toUnknownFields(this.#maker.source, message)
      return this.#maker.make({ ...fields, raw: message })
    })
  }

  /** A message that means nothing by itself: the wire is complete nevertheless. */
  #mention(method: string | undefined): EventFields {
    const status = this.#conversations.get(this.#maker.session)?.working === true ? 'working' : 'starting'
    return { type: 'status', entity: `${this.#maker.source}/wire`, status, detail: method ?? 'reply' }
  }

  #fields(from: 'client' | 'agent', message: AgentRecord): EventFields[] | undefined {
    const method = asString(message['method'])
    const params = asRecord(message['params']) ?? {}
    if (method === undefined) return this.#reply(from, message)
    const session = asString(params['sessionId'])
    if (session !== undefined) this.#maker.session = session
    if (method === 'session/update') return this.#update(asRecord(params['update']) ?? {})
    const permission =
      method === 'session/request_permission'
        ? readPermission(params, `${this.#maker.source}/ask/${String(message['id'])}`)
        : undefined
    this.#asked[from].set(message['id'], { method, params, ...(permission ? { permission } : {}) })
    if (permission) return this.#permission(permission, params)
    return this.#request(method, params, message['id'])
  }

  #request(method: string, params: AgentRecord, id: unknown): EventFields[] | undefined {
    switch (method) {
      case 'session/prompt': {
        const conversation = this.#conversation()
        const turn = `${this.#maker.source}/${String(id)}`
        Object.assign(conversation, newTurn, { turn, working: true })
        this.#cut(conversation)
        conversation.calls.nextTurn()
        const content: Block[] = promptBlocks(params['prompt'])
        return [{ type: 'message', entity: `${conversation.turn}/prompt`, role: 'user', content }]
      }
      case 'session/load':
        this.#conversation().replaying = true
        return [this.#mention(method)]
      case 'session/cancel':
        this.#conversation().cancelled = true
        return [{ type: 'status', entity: this.#maker.session, status: 'working', detail: 'cancel' }]
      default:
        // What is asked shows in the answer to it; requests for files and terminals are the tools' own business.
        return known.test(method) ? [this.#mention(method)] : undefined
    }
  }

  #reply(from: 'client' | 'agent', message: AgentRecord): EventFields[] | undefined {
    const requests = this.#asked[from === 'client' ? 'agent' : 'client']
    const request = requests.get(message['id'])
    if (!request) return undefined
    requests.delete(message['id'])
    const { method, params, permission } = request
    const session = asString(params['sessionId'])
    if (session !== undefined) this.#maker.session = session
    const result = asRecord(message['result'])
    const error = asRecord(message['error'])
    if (permission) return this.#settled(permission, result, message['id'])
    if (method === 'session/prompt') return this.#done(result, error)
    // What we refuse to an agent it tells in its own words.
    if (error) return from === 'client' ? [this.#mention(method)] : [toErrorFields(this.#maker.source, error)]
    if (method === 'initialize') this.#version = asString(asRecord(result?.['agentInfo'])?.['version'])
    return opening.has(method) ? this.#opened(result ?? {}, params, method) : [this.#mention(method)]
  }

  #opened(result: AgentRecord, params: AgentRecord, method: string): EventFields[] {
    this.#maker.session = asString(result['sessionId']) ?? this.#maker.session
    const cwd = asString(params['cwd'])
    const model =
      asString(asRecord(result['models'])?.['currentModelId']) ?? findOption(result['configOptions'], 'model')
    const id =
      asString(asRecord(result['modes'])?.['currentModeId']) ?? findOption(result['configOptions'], 'mode')
    const entity = this.#maker.session
    return [
      {
        type: 'session',
        entity,
        ...defined({ cwd, model, version: this.#version }),
        ...(method === 'session/new' ? {} : { resumed: true }),
      },
      ...(id === undefined ? [] : [this.#modeFields(id)]),
    ]
  }

  #update(update: AgentRecord): EventFields[] | undefined {
    const conversation = this.#conversation()
    const kind = asString(update['sessionUpdate']) ?? ''
    // The transcript has it; told again it would be as if it had happened now.
    if (conversation.replaying && replayed.has(kind)) return [this.#mention('replay')]
    switch (kind) {
      case 'agent_message_chunk':
        return this.#chunk('text', update, conversation)
      case 'agent_thought_chunk':
        return this.#chunk('thinking', update, conversation)
      case 'user_message_chunk':
        return this.#echo(update, conversation)
      case 'tool_call':
      case 'tool_call_update':
        return this.#callFields(update, conversation)
      case 'usage_update':
        conversation.context = asCount(update['used'])
        return statusFields(kind, update, this.#maker.session)
      default:
        return statusFields(kind, update, this.#maker.session)?.map((fields) =>
          fields.type === 'status' && fields.status === 'mode' && typeof fields.value === 'string'
            ? this.#modeFields(fields.value)
            : fields,
        )
    }
  }

  /** The mode by our word for it, or by the agent's own id. */
  #modeFields(id: string): EventFields {
    const value = fromNativeMode(this.#quirks.modes ?? {}, id)
    return { type: 'status', entity: this.#maker.session, status: 'mode', value }
  }

  #chunk(
    type: 'text' | 'thinking',
    update: AgentRecord,
    conversation: Conversation,
  ): EventFields[] | undefined {
    const text = readText(update['content'])
    if (text === undefined)
      return mediaFields(
        update['content'],
        `${conversation.turn}/${conversation.segment}/media/${this.#count}`,
      )
    if (text === '') return [this.#mention('empty')]
    const remark = type === 'text' ? this.#quirks.remarks?.exec(text) : undefined
    if (remark) return [this.#remark(remark, text, conversation)]
    const message = asString(update['messageId'])
    if (type === 'text' && message === undefined && this.#quirks.failureText?.test(text)) {
      conversation.failed = true
      return [toErrorFields(this.#maker.source, { message: text.trim() }, 'error')]
    }
    if (message !== undefined && message !== conversation.message) {
      if (conversation.message !== undefined) this.#cut(conversation)
      conversation.message = message
    }
    const offset = conversation.said[type]
    conversation.said[type] += text.length
    const entity = `${conversation.turn}/${conversation.segment}/${type}`
    return [{ type, entity, ...(message === undefined ? {} : { message }), offset, text }]
  }

  /** What the agent says among the words of the model: that the mode has changed, or something a person should know. */
  #remark({ groups }: RegExpExecArray, text: string, conversation: Conversation): EventFields {
    const mode = groups?.['mode']
    if (mode !== undefined) return this.#modeFields(mode)
    const entity = `${conversation.turn}/remark/${text}`
    return { type: 'error', entity, code: 'config', severity: 'warning', message: text }
  }

  /** Words of the person's own; those of a prompt under way are told already. */
  #echo(update: AgentRecord, conversation: Conversation): EventFields[] | undefined {
    if (conversation.working) return [this.#mention('echo')]
    const content = promptBlocks([update['content']])
    const entity = `${this.#maker.source}/echo/${asString(update['messageId']) ?? JSON.stringify(content)}`
    return [{ type: 'message', entity, role: 'user', content }]
  }

  /** An update that changes nothing, such as one of progress, is only a message on the wire. */
  #callFields(update: AgentRecord, conversation: Conversation): EventFields[] | undefined {
    const { fields } = this.#callUpdate(update, conversation)
    return fields?.length === 0 ? [this.#mention('tool_call_update')] : fields
  }

  #callUpdate(update: AgentRecord, conversation: Conversation): CallUpdate {
    const told = conversation.calls.update(update)
    if (told.isNew) this.#cut(conversation)
    return told
  }

  #permission(permission: PermissionRequest, params: AgentRecord): EventFields[] {
    const { ask } = permission
    // Some agents ask before they tell of the call.
    const conversation = this.#conversation()
    const { fields = [], id } = this.#callUpdate(asRecord(params['toolCall']) ?? {}, conversation)
    if (id !== undefined) tellCall(ask, id, conversation.calls.find(id))
    return [...(fields ?? []).filter(({ type }) => type === 'tool_use'), { type: 'ask', entity: ask.id, ask }]
  }

  #settled(permission: PermissionRequest, result: AgentRecord | undefined, id: unknown): EventFields[] {
    const { answer, refused } = settled(permission, result, this.#decided.get(id))
    this.#decided.delete(id)
    const told: EventFields[] = [{ type: 'answer', entity: permission.ask.id, answer }]
    const call = permission.ask.toolUse
    if (refused === 'denied') this.#conversation().denied = true
    if (refused === undefined || call === undefined) return told
    return [...told, this.#conversation().calls.refuse(call, refused)]
  }

  #done(result: AgentRecord | undefined, told: AgentRecord | undefined): EventFields[] {
    const conversation = this.#conversation()
    conversation.working = false
    const entity = conversation.turn
    const words = `${asString(told?.['message']) ?? ''} ${JSON.stringify(told?.['data'] ?? '')}`
    const error = told && this.#quirks.refusal?.test(words) ? undefined : told
    // Some end the turn by an error, others as if it were cancelled, when a person says no.
    const { denied, cancelled, failed } = conversation
    const said = asString(result?.['stopReason']) ?? (told && !error ? 'end_turn' : undefined)
    const stopReason = said === 'cancelled' && denied && !cancelled ? 'end_turn' : said
    const ok = error === undefined && !failed && !broken.has(stopReason)
    // Some tell only how full the context has become, which is the least that the turn can have cost.
    const { context } = conversation
    const usage = readUsage(result ?? {}) ?? (context === undefined ? undefined : { totalTokens: context })
    return [
      ...(ok ? [] : conversation.calls.abandon()),
      ...(error ? [toErrorFields(this.#maker.source, error, 'error')] : []),
      ...(usage ? [{ type: 'usage', entity, scope: 'turn', usage } as const] : []),
      { type: 'done', entity, ok, ...(stopReason === undefined ? {} : { stopReason }) },
    ]
  }

  /** What is said from here on is another piece. */
  #cut(conversation: Conversation): void {
    if (conversation.said.text + conversation.said.thinking > 0) conversation.segment++
    Object.assign(conversation.said, { text: 0, thinking: 0 })
    conversation.message = undefined
  }

  #conversation(): Conversation {
    const id = this.#maker.session
    let conversation = this.#conversations.get(id)
    if (!conversation) {
      conversation = createConversation(
        new AcpCalls(this.#toClaude, this.#maker.source),
        `${this.#maker.source}/0`,
      )
      // OpenCode tells a copy what was said before it has said which session the copy is.
      const asked = [...this.#asked.client.values()]
      conversation.replaying = asked.some(({ method }) => method === 'session/fork')
      this.#conversations.set(id, conversation)
    }
    return conversation
  }
}

const opening = new Set(['session/new', 'session/load', 'session/resume', 'session/fork'])
const broken = new Set<unknown>(['cancelled', 'refusal', 'max_turn_requests'])
const known =
  /^(initialize|authenticate|logout|session\/(new|load|resume|fork|list|close|delete|cancel|prompt|set_(mode|model|config_option|title))|fs\/(read|write)_text_file|terminal\/(create|output|release|wait_for_exit|kill)|\$\/cancel_request|_auth\/status_update)$/
const replayed = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
])

/** One conversation on the connection. */
interface Conversation {
  readonly calls: AcpCalls
  /** The prompts so far, and the pieces between tool calls. */
  turn: string
  segment: number
  /** How much was said of each kind in this piece. */
  readonly said: Record<'text' | 'thinking', number>
  message: string | undefined
  working: boolean
  /** From a load to the next prompt all that is told is told again. */
  replaying: boolean
  /** How full the context was when that was last told. */
  context: number | undefined
  /** Whether in this turn a person said no, and whether it was cancelled. */
  denied: boolean
  cancelled: boolean
  /** Whether the agent reported the error of this turn as text. */
  failed: boolean
}

/** What a prompt begins with. */
const newTurn = {
  replaying: false,
  context: undefined,
  denied: false,
  cancelled: false,
  failed: false,
} as const

function createConversation(calls: AcpCalls, turn: string): Conversation {
  return {
    calls,
    turn,
    segment: 0,
    said: { text: 0, thinking: 0 },
    message: undefined,
    working: false,
    ...newTurn,
  }
}

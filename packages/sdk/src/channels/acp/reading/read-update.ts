import { type Answer, type Ask, type Block, type Event, type Usage, addUsage } from '@remora/protocol/plain'
import type { EventFields, EventMaker } from '../../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { readChoices } from '../choices.ts'
import { SessionModes } from '../session-modes.ts'
import type { AcpMessage, AcpReader, ReaderQuirks, ToClaude } from './acp-reader.ts'
import { mediaFields, promptBlocks, readText } from './content.ts'
import { toErrorFields, toUnknownFields } from './failed-fields.ts'
import { type PermissionRequest, addCall, readPermission, settled, withholdAllow } from './permission.ts'
import { findOption, readUsage, statusFields } from './session-status.ts'
import { type CallUpdate, type KnownCall, AcpCalls } from './tool-calls.ts'

export type * from './acp-reader.ts'

/**
 * Reads the ACP messages between a client and an agent. Each side numbers its own requests.
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
  /** Messages before the first session, with their numbers on the wire. */
  readonly #preamble: { key: string; message: AgentRecord; at: number; isKnown: boolean }[] = []
  #count = 0
  #abandoned = 0
  #version: string | undefined
  #modes: SessionModes

  constructor(maker: EventMaker, toClaude: ToClaude, quirks: ReaderQuirks) {
    this.#maker = maker
    this.#toClaude = toClaude
    this.#quirks = quirks
    this.#modes = new SessionModes('', quirks.modes, [])
  }

  read({ from, message }: AcpMessage, at?: number): Event[] | undefined {
    const key = `${++this.#count}${from === 'client' ? 'c' : 'a'}`
    this.#maker.next(at, key)
    let fields: EventFields[] | undefined
    try {
      fields = this.#fields(from, message)
    } catch {
      // A message that makes the reader throw counts as unknown and costs only itself.
    }
    // Extensions may send notifications before the first session.
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

  /** The handshake, emitted with the first session. */
  #beginning(): Event[] {
    return this.#preamble.splice(0).map(({ key, message, at, isKnown }) => {
      this.#maker.next(at, key)
      const fields = isKnown
        ? this.#mention(asString(message['method']))
        : toUnknownFields(this.#maker.source, message)
      return this.#maker.make({ ...fields, raw: message })
    })
  }

  /** A message without an event of its own, emitted to keep the wire complete. */
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
    if (method === 'session/update') {
      const early = session === undefined ? [] : this.#openEarly(session)
      const fields = this.#update(asRecord(params['update']) ?? {})
      return fields && [...early, ...fields]
    }
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
        // The response has the content of these requests; file and terminal requests belong to tool calls.
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
    // The agent reports our refusals itself.
    if (error) return from === 'client' ? [this.#mention(method)] : [toErrorFields(this.#maker.source, error)]
    if (method === 'initialize') this.#version = asString(asRecord(result?.['agentInfo'])?.['version'])
    return opening.has(method) ? this.#opened(result ?? {}, params, method) : [this.#mention(method)]
  }

  /** Some agents send updates of a new session before the response that opens it. */
  #openEarly(entity: string): EventFields[] {
    if (this.#conversations.has(entity)) return []
    const [pending, ...more] = [...this.#asked.client.values()].filter(
      ({ method }) => method === 'session/new',
    )
    if (!pending || more.length > 0) return []
    return [{ type: 'session', entity, ...defined({ cwd: asString(pending.params['cwd']) }) }]
  }

  #opened(result: AgentRecord, params: AgentRecord, method: string): EventFields[] {
    this.#maker.session = asString(result['sessionId']) ?? this.#maker.session
    const cwd = asString(params['cwd'])
    const model =
      asString(asRecord(result['models'])?.['currentModelId']) ?? findOption(result['configOptions'], 'model')
    const id =
      asString(asRecord(result['modes'])?.['currentModeId']) ?? findOption(result['configOptions'], 'mode')
    const { offered } = readChoices(result, 'mode')
    // An agent may list them for a new session only.
    if (offered.length > 0) this.#modes = new SessionModes('', this.#quirks.modes, offered)
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
    // A replay is in the transcript already and would look new.
    if (conversation.replaying && replayed.has(kind)) return [this.#mention('replay')]
    switch (kind) {
      case 'agent_message_chunk':
        conversation.spent = addSpent(conversation.spent, readUsage(asRecord(update['_meta']) ?? {}))
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

  /** The name of the mode, or the agent's id. */
  #modeFields(id: string): EventFields {
    const value = this.#modes.toName(id)
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
    const offset = conversation.lengths[type]
    conversation.lengths[type] += text.length
    const entity = `${conversation.turn}/${conversation.segment}/${type}`
    return [{ type, entity, ...(message === undefined ? {} : { message }), offset, text }]
  }

  /** Finds messages of the agent among the model's text: a mode change, or a notice for the user. */
  #remark({ groups }: RegExpExecArray, text: string, conversation: Conversation): EventFields {
    const mode = groups?.['mode']
    if (mode !== undefined) return this.#modeFields(mode)
    if (groups?.['noise'] !== undefined) return this.#mention('remark')
    const entity = `${conversation.turn}/remark/${text}`
    return { type: 'error', entity, code: 'config', severity: 'warning', message: text }
  }

  /** The user's text; that of the running prompt was already emitted. */
  #echo(update: AgentRecord, conversation: Conversation): EventFields[] | undefined {
    if (conversation.working) return [this.#mention('echo')]
    const content = promptBlocks([update['content']])
    const entity = `${this.#maker.source}/echo/${asString(update['messageId']) ?? JSON.stringify(content)}`
    return [{ type: 'message', entity, role: 'user', content }]
  }

  /** An update that changes nothing, such as progress, is only recorded as a message. */
  #callFields(update: AgentRecord, conversation: Conversation): EventFields[] | undefined {
    const { fields } = this.#callUpdate(update, conversation)
    return fields?.length === 0 ? [this.#mention('tool_call_update')] : fields
  }

  #callUpdate(update: AgentRecord, conversation: Conversation): CallUpdate {
    const result = conversation.calls.update(update)
    if (result.isNew) this.#cut(conversation)
    return result
  }

  #permission(permission: PermissionRequest, params: AgentRecord): EventFields[] {
    const { ask } = permission
    // Some agents ask before they report the call.
    const conversation = this.#conversation()
    const asked = this.#completeInput(asRecord(params['toolCall']) ?? {}, conversation)
    if (!asked) {
      withholdAllow(ask)
      return [{ type: 'ask', entity: ask.id, ask }]
    }
    const { fields = [], id } = this.#callUpdate(asked, conversation)
    if (id !== undefined) addCall(ask, id, conversation.calls.find(id))
    return [...(fields ?? []).filter(({ type }) => type === 'tool_use'), { type: 'ask', entity: ask.id, ask }]
  }

  /** The call of a request with its whole input; undefined if that is not known. */
  #completeInput(asked: AgentRecord, { calls }: Conversation): AgentRecord | undefined {
    const { readAskedInput } = this.#quirks
    if (!readAskedInput) return asked
    const rawInput = readAskedInput(asked, calls.find(asString(asked['toolCallId']) ?? '')?.reported ?? {})
    // The content of the request only shows a part of the input.
    return rawInput === undefined ? undefined : { ...asked, rawInput, content: undefined }
  }

  #settled(permission: PermissionRequest, result: AgentRecord | undefined, id: unknown): EventFields[] {
    const { answer, refused } = settled(permission, result, this.#decided.get(id))
    this.#decided.delete(id)
    const fields: EventFields[] = [{ type: 'answer', entity: permission.ask.id, answer }]
    const call = permission.ask.toolUse
    if (refused === 'denied') this.#conversation().denied = true
    if (refused === undefined || call === undefined) return fields
    return [...fields, this.#conversation().calls.refuse(call, refused)]
  }

  #done(result: AgentRecord | undefined, failure: AgentRecord | undefined): EventFields[] {
    const conversation = this.#conversation()
    conversation.working = false
    const entity = conversation.turn
    const errorText = `${asString(failure?.['message']) ?? ''} ${JSON.stringify(failure?.['data'] ?? '')}`
    const error = failure && this.#quirks.refusal?.test(errorText) ? undefined : failure
    // After a denial some agents end the turn with an error, others as cancelled.
    const { denied, cancelled, failed } = conversation
    const reason = asString(result?.['stopReason']) ?? (failure && !error ? 'end_turn' : undefined)
    const stopReason = reason === 'cancelled' && denied && !cancelled ? 'end_turn' : reason
    const ok = error === undefined && !failed && !broken.has(stopReason)
    // Some agents report the tokens with each answer of the model, and some only the context size, which is the minimum
    // that the turn cost.
    const { context } = conversation
    const usage =
      readUsage(result ?? {}, this.#quirks.readUsage) ??
      conversation.spent ??
      (context === undefined ? undefined : { totalTokens: context })
    return [
      ...(ok ? [] : conversation.calls.abandon()),
      ...(error ? [toErrorFields(this.#maker.source, error, 'error')] : []),
      ...(usage ? [{ type: 'usage', entity, scope: 'turn', usage } as const] : []),
      { type: 'done', entity, ok, ...(stopReason === undefined ? {} : { stopReason }) },
    ]
  }

  /** Starts another segment. */
  #cut(conversation: Conversation): void {
    if (conversation.lengths.text + conversation.lengths.thinking > 0) conversation.segment++
    Object.assign(conversation.lengths, { text: 0, thinking: 0 })
    conversation.message = undefined
  }

  #conversation(): Conversation {
    const id = this.#maker.session
    let conversation = this.#conversations.get(id)
    if (!conversation) {
      conversation = createConversation(
        new AcpCalls(this.#toClaude, this.#maker.source, this.#quirks.nativeName),
        `${this.#maker.source}/0`,
      )
      // A forked session may be replayed before the fork's id was sent.
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
  /** The number of prompts, and of segments between tool calls. */
  turn: string
  segment: number
  /** The length of each kind of text in this segment. */
  readonly lengths: Record<'text' | 'thinking', number>
  message: string | undefined
  working: boolean
  /** From a load to the next prompt, all updates are a replay. */
  replaying: boolean
  /** The tokens of this turn, for agents that report them with each answer of the model. */
  spent: Usage | undefined
  /** The last reported context size. */
  context: number | undefined
  /** Whether the user denied a call in this turn, and whether the turn was cancelled. */
  denied: boolean
  cancelled: boolean
  /** Whether the agent reported the error of this turn as text. */
  failed: boolean
}

function addSpent(spent: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  return spent && usage ? addUsage(spent, usage) : (usage ?? spent)
}

/** The initial state of a prompt. */
const newTurn = {
  replaying: false,
  spent: undefined,
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
    lengths: { text: 0, thinking: 0 },
    message: undefined,
    working: false,
    ...newTurn,
  }
}

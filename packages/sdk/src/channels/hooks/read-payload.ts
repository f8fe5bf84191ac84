import { callEntity } from '@remora/protocol/fold'
import { type Event, type EventRecord, JsonError, parseJson } from '@remora/protocol/plain'
import type { Agent, HookPayloadReader } from '../../contract/agent.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import { type AgentRecord, describeUnreadable } from '../../events/read-record.ts'
import { createFolderSessionId } from '../../events/digest.ts'

/** How many reported sessions are remembered. */
const mostSessions = 200

/**
 * Reads the hook payloads of one agent, also those of other recorders. It can continue from the state of another reader.
 *
 * @example new PayloadReader(gemini).read('{"hook_event_name":"SessionStart",…}', { key: 'gemini.7.0', at: Date.now() })
 */
export class PayloadReader {
  readonly #agent: Agent
  readonly #maker: EventMaker
  readonly #reader: HookPayloadReader | undefined
  readonly #told: Set<string>

  constructor(agent: Agent, state?: unknown, source = 'spool') {
    const { reader, told } = asRecord(state) ?? {}
    this.#agent = agent
    this.#maker = new EventMaker({ agent: agent.id, channel: 'hooks', source })
    this.#reader = agent.hooks?.reader?.(this.#maker, reader)
    this.#told = new Set(
      Array.isArray(told) ? (told as unknown[]).filter((each) => typeof each === 'string') : [],
    )
  }

  /** Reads the events of one payload; undefined for an invalid one. `key` is its origin, `at` the time it was written. */
  read(text: string, { key, at }: { readonly key: string; readonly at: number }): EventRecord | undefined {
    const given = parsed(text)
    if (!given) return undefined
    const maker = this.#maker
    try {
      if (given.error) throw given.error
      const payload = completed(this.#agent, given.payload)
      maker.session = asString(payload['session_id']) ?? ''
      maker.next(at, key)
      const events = this.#events(payload)
      const session = this.#session(events, payload)
      const whole = events.some(({ raw }) => raw === payload)
      return { events: session ? [session, ...events] : events, ...(whole ? { raw: text } : {}) }
    } catch (error) {
      return this.#unreadable(text, error, given.payload, { key, at })
    }
  }

  /** Keeps a payload as text in its session if it is nested too deeply or made the agent's reader throw. */
  #unreadable(
    text: string,
    error: unknown,
    payload: AgentRecord,
    { key, at }: { readonly key: string; readonly at: number },
  ): EventRecord {
    const maker = this.#maker
    maker.session = asString(payload['session_id']) ?? createFolderSessionId(this.#agent.id, payload['cwd'])
    maker.next(at, key)
    const { what, raw } = describeUnreadable(text, error)
    const event = maker.make({ type: 'unknown', entity: `${maker.source}/${key}`, what, raw })
    const session = this.#session([event], payload)
    return { events: session ? [session, event] : [event], raw }
  }

  state(): unknown {
    return { reader: this.#reader?.state?.(), told: [...this.#told] }
  }

  #events(payload: AgentRecord): Event[] {
    const known = this.#reader?.read(payload)
    if (known) return withError(known, payload)
    const what = asString(payload['hook_event_name']) ?? 'payload'
    const maker = this.#maker
    if (maker.session === '') maker.session = createFolderSessionId(this.#agent.id, payload['cwd'])
    const event = maker.make({ type: 'unknown', entity: '', what, raw: payload })
    event.entity = `${maker.source}/${event.origin.key}`
    return [event]
  }

  /** Reports the session with any payload, because the hook for its start may not be installed. */
  #session(events: readonly Event[], payload: AgentRecord): Event | undefined {
    const id = events[0]?.session
    if (id === undefined || this.#told.has(id)) return undefined
    this.#told.add(id)
    if (this.#told.size > mostSessions) this.#told.delete(this.#told.keys().next().value!)
    if (events.some(({ type }) => type === 'session')) return undefined
    const cwd = asString(payload['cwd'])
    const file = asString(payload['transcript_path'])
    this.#maker.session = id
    return this.#maker.make(defined({ type: 'session', entity: id, cwd, file }))
  }
}

/** The payload, and the error if it is only partly readable. */
function parsed(text: string): { payload: AgentRecord; error?: JsonError } | undefined {
  try {
    const payload = asRecord(parseJson(text))
    return payload && { payload }
  } catch (error) {
    if (!(error instanceof JsonError) || error.fault === 'syntax') return undefined
    const payload = error.fault === 'depth' ? asRecord(parseJson(text, 'cut')) : {}
    return payload && { payload, error }
  }
}

/** Other recorders report an error in a field that the agent's own hooks do not have. */
export function withError(events: Event[], payload: AgentRecord): Event[] {
  const error = asString(payload['error'])
  if (!error) return events
  return events.map((event) =>
    event.type === 'tool_result' && event.status === 'success'
      ? { ...event, status: 'error', content: error }
      : event,
  )
}

/** Names of the event after a tool call; each agent has one of them. */
const after = ['AfterTool', 'PostToolUse', 'postToolUse', 'tool.execute.after']

/** Other recorders omit the event name, and some the session. */
export function completed(agent: Agent, payload: AgentRecord): AgentRecord {
  if (asString(payload['tool_name']) === undefined) return payload
  const events = agent.hooks?.events ?? []
  const failed = asString(payload['error']) ? 'PostToolUseFailure' : undefined
  const event = asString(payload['hook_event_name'])
    ? undefined
    : [failed, ...after].find((name) => name !== undefined && events.includes(name))
  const session = asString(payload['session_id'])
    ? undefined
    : createFolderSessionId(agent.id, payload['cwd'])
  const plugin = event === 'tool.execute.after' ? toldByPlugin(payload) : undefined
  if (event === undefined && session === undefined) return payload
  return { ...payload, ...defined({ hook_event_name: event, session_id: session }), ...plugin }
}

/** Converts the form in which OpenCode passes a call to a plugin. */
function toldByPlugin(payload: AgentRecord): AgentRecord {
  const { tool_name: tool, tool_input: args = {}, tool_use_id: id, tool_response: output } = payload
  const callID = asString(id) ?? callEntity(String(tool), args)
  return {
    input: { tool, callID, args },
    output: { output: asString(output) ?? (output === undefined ? '' : JSON.stringify(output)) },
  }
}

import { callEntity } from '@remora/protocol/fold'
import { type Event, type EventRecord, JsonError, parseJson } from '@remora/protocol/plain'
import type { Agent, HookPayloadReader } from '../../contract/agent.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import { type AgentRecord, describeUnreadable } from '../../events/read-record.ts'
import { createFolderSessionId } from '../../events/digest.ts'

/** How many session ids are remembered, so that a session is reported once. */
const maxReportedSessions = 200

/**
 * Reads the hook payloads of one agent, and those that other recorders such as dp write for it. It can continue from the
 * state of another reader.
 *
 * @example new PayloadReader(gemini).read('{"hook_event_name":"SessionStart",…}', { key: 'gemini.7.0', at: Date.now() })
 */
export class PayloadReader {
  readonly #agent: Agent
  readonly #maker: EventMaker
  readonly #reader: HookPayloadReader | undefined
  readonly #reported: Set<string>

  constructor(agent: Agent, state?: unknown, source = 'spool') {
    const { reader, told } = asRecord(state) ?? {}
    this.#agent = agent
    this.#maker = new EventMaker({ agent: agent.id, channel: 'hooks', source })
    this.#reader = agent.hooks?.reader?.(this.#maker, reader)
    this.#reported = new Set(
      Array.isArray(told) ? (told as unknown[]).filter((each) => typeof each === 'string') : [],
    )
  }

  /** Reads the events of one payload; undefined for an invalid one. `key` is its origin, `at` the time it was written. */
  read(text: string, { key, at }: { readonly key: string; readonly at: number }): EventRecord | undefined {
    const given = parsePayload(text)
    if (!given) return undefined
    const maker = this.#maker
    try {
      if (given.error) throw given.error
      const payload = completePayload(this.#agent, given.payload)
      maker.session = asString(payload['session_id']) ?? ''
      maker.next(at, key)
      const events = this.#events(payload)
      const session = this.#session(events, payload)
      const hasWholePayload = events.some(({ raw }) => raw === payload)
      return { events: session ? [session, ...events] : events, ...(hasWholePayload ? { raw: text } : {}) }
    } catch (error) {
      return this.#unreadable(text, error, given.payload, { key, at })
    }
  }

  /** Stores a payload as text in its session if it is nested too deeply or made the agent's reader throw. */
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
    return { reader: this.#reader?.state?.(), told: [...this.#reported] }
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
    if (id === undefined || this.#reported.has(id)) return undefined
    this.#reported.add(id)
    if (this.#reported.size > maxReportedSessions) this.#reported.delete(this.#reported.keys().next().value!)
    if (events.some(({ type }) => type === 'session')) return undefined
    const cwd = asString(payload['cwd'])
    const file = asString(payload['transcript_path'])
    this.#maker.session = id
    return this.#maker.make(defined({ type: 'session', entity: id, cwd, file }))
  }
}

/** Parses a payload. Returns the error too if the payload is only partly readable, and undefined if it is invalid. */
function parsePayload(text: string): { payload: AgentRecord; error?: JsonError } | undefined {
  try {
    const payload = asRecord(parseJson(text))
    return payload && { payload }
  } catch (error) {
    if (!(error instanceof JsonError) || error.fault === 'syntax') return undefined
    const payload = error.fault === 'depth' ? asRecord(parseJson(text, 'cut')) : {}
    return payload && { payload, error }
  }
}

/** Marks results as failed if the payload has an `error` field, which only other recorders write. */
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
const afterToolEvents = ['AfterTool', 'PostToolUse', 'postToolUse', 'tool.execute.after']

/** Adds the event name and the session id that other recorders leave out. */
export function completePayload(agent: Agent, payload: AgentRecord): AgentRecord {
  if (asString(payload['tool_name']) === undefined) return payload
  const events = agent.hooks?.events ?? []
  const failed = asString(payload['error']) ? 'PostToolUseFailure' : undefined
  const event = asString(payload['hook_event_name'])
    ? undefined
    : [failed, ...afterToolEvents].find((name) => name !== undefined && events.includes(name))
  const session = asString(payload['session_id'])
    ? undefined
    : createFolderSessionId(agent.id, payload['cwd'])
  const plugin = event === 'tool.execute.after' ? toPluginPayload(payload) : undefined
  if (event === undefined && session === undefined) return payload
  return { ...payload, ...defined({ hook_event_name: event, session_id: session }), ...plugin }
}

/** Converts a call to the form in which OpenCode passes it to a plugin. */
function toPluginPayload(payload: AgentRecord): AgentRecord {
  const { tool_name: tool, tool_input: args = {}, tool_use_id: id, tool_response: output } = payload
  const callID = asString(id) ?? callEntity(String(tool), args)
  return {
    input: { tool, callID, args },
    output: { output: asString(output) ?? (output === undefined ? '' : JSON.stringify(output)) },
  }
}

import { callEntity } from '@remora/protocol/fold'
import type { AskOption, Event, EventType } from '@remora/protocol/plain'
import type { ClaudeCall } from '../contract/tools.ts'
import { type EventFields, type EventMaker, parseTime } from '../events/event-maker.ts'
import { computeDigest } from '../events/digest.ts'
import { asRecord, asString } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** The fields of an event whose entity may be missing, because only this payload mentions it. */
export type HookFields = EventFields extends infer F
  ? F extends { type: EventType; entity: string }
    ? Omit<F, 'entity'> & { entity?: string }
    : never
  : never

/**
 * Makes the events of a payload. The entity of an event without one is its origin, which stays the same when the payload
 * is read again.
 *
 * @example makeHookEvents(maker, payload, [{ type: 'status', status: 'ended' }])
 */
export function makeHookEvents(
  maker: EventMaker,
  payload: AgentRecord,
  fields: readonly HookFields[],
  raw: AgentRecord = payload,
): Event[] {
  const session = asString(payload['session_id'])
  if (session !== undefined) maker.session = session
  const time = parseTime(payload['timestamp'])
  if (time !== undefined) maker.at = time
  return fields.map((each, index) => {
    const event = maker.make({
      entity: '',
      ...each,
      ...(index === 0 && each.type !== 'unknown' ? { raw } : {}),
    })
    if (event.entity === '') event.entity = `${maker.source}/${event.origin.key}`
    if (event.type === 'ask' && event.ask.id === '') event.ask.id = event.entity
    return event
  })
}

/**
 * State per session, limited to the latest sessions because a collector may run for months. It is JSON, so that another
 * process can continue with it.
 */
export class PerSession<T extends object> {
  readonly #known = new Map<string, T>()
  readonly #create: () => T

  constructor(create: () => T, stored?: unknown) {
    this.#create = create
    for (const pair of Array.isArray(stored) ? (stored as unknown[]) : []) {
      const [id, value] = Array.isArray(pair) ? (pair as unknown[]) : []
      if (typeof id === 'string') this.#known.set(id, { ...create(), ...asRecord(value) })
    }
  }

  of(payload: AgentRecord): T {
    const id = asString(payload['session_id']) ?? ''
    const value = this.#known.get(id) ?? this.#create()
    this.#known.delete(id)
    this.#known.set(id, value)
    if (this.#known.size > 100) this.#known.delete(this.#known.keys().next().value!)
    return value
  }

  state(): readonly (readonly [string, T])[] {
    return [...this.#known]
  }
}

/** The running calls, as digests of their entities, which may contain whole files. */
export type OpenCalls = string[]

/** Records the start of a call. Only the latest are kept, because denied calls never end. */
export function openCall(open: OpenCalls, entity: string): void {
  open.push(computeDigest(entity))
  if (open.length > 50) open.shift()
}

/** Records the end of a call. Returns whether its start was seen, because that hook may not be installed. */
export function closeCall(open: OpenCalls, entity: string): boolean {
  const index = open.indexOf(computeDigest(entity))
  if (index !== -1) open.splice(index, 1)
  return index !== -1
}

type ToClaude = (name: string, input: unknown) => ClaudeCall

/** The event for a tool call. A call without an id is identified by its name and input. */
export function toCallFields(payload: AgentRecord, toClaude: ToClaude) {
  const name = asString(payload['tool_name']) ?? ''
  if (name === '') return undefined
  const input = payload['tool_input'] ?? {}
  const entity = asString(payload['tool_use_id']) ?? callEntity(name, input)
  return { type: 'tool_use' as const, entity, ...toClaude(name, input), native: { name, input } }
}

/** The event for a call that starts now. */
export function startCall(
  payload: AgentRecord,
  open: OpenCalls,
  toClaude: ToClaude,
): HookFields[] | undefined {
  const use = toCallFields(payload, toClaude)
  if (use) openCall(open, use.entity)
  return use && [use]
}

/** The event for a started or resumed session. */
export function toSessionFields(payload: AgentRecord): HookFields {
  const id = asString(payload['session_id'])
  const cwd = asString(payload['cwd'])
  const file = asString(payload['transcript_path'])
  const model = asString(payload['model'])
  return {
    type: 'session',
    ...(id === undefined ? {} : { entity: id }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(file === undefined ? {} : { file }),
    ...(model === undefined ? {} : { model }),
    ...(payload['source'] === 'resume' ? { resumed: true } : {}),
  }
}

/** The event for a prompt of the user. */
export function toPromptFields(text: string, entity?: string): HookFields {
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text }],
    ...(entity === undefined ? {} : { entity }),
  }
}

/** The event for activity without an event of its own. */
export function toWorkingFields(detail: string): HookFields {
  return { type: 'status', status: 'working', detail }
}

/** A permission request before a tool call. */
interface HookAsk {
  /** The native id of the request; its origin by default. */
  readonly id?: string | undefined
  readonly title: string
  readonly body?: string | undefined
  readonly toolUse?: string | undefined
  readonly options: readonly AskOption[]
}

/**
 * The events for a session that waits for approval.
 *
 * @example toAskFields('Bash', { title: 'Allow Bash?', body: 'touch a', options })
 */
export function toAskFields(detail: string, { id, title, body, toolUse, options }: HookAsk): HookFields[] {
  // An answer is valid only for exactly this request.
  const digest = computeDigest(JSON.stringify({ title, body, toolUse, options }))
  return [
    { type: 'status', status: 'waiting', detail },
    {
      type: 'ask',
      ...(id === undefined ? {} : { entity: id }),
      ask: {
        id: id ?? '',
        kind: 'permission',
        title,
        ...(body === undefined || body === '' ? {} : { body }),
        ...(toolUse === undefined ? {} : { toolUse }),
        options: [...options],
        digest,
      },
    },
  ]
}

/** The events for a payload that asks for permission to run a tool. */
export function toPermissionFields(payload: AgentRecord, options: readonly AskOption[]): HookFields[] {
  const tool = asString(payload['tool_name'])
  if (tool === undefined) return [{ type: 'status', status: 'waiting', detail: '' }]
  return toAskFields(tool, {
    title: `Allow ${tool}?`,
    body: formatInput(payload['tool_input']),
    toolUse: asString(payload['tool_use_id']),
    options,
  })
}

/** Formats the input of a call for the user: the command or file if there is one, else all of it. */
function formatInput(input: unknown): string | undefined {
  const fields = asRecord(input)
  if (!fields) return asString(input)
  const target = asString(fields['command']) ?? asString(fields['file_path'])
  return target ?? (Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields, null, 2))
}

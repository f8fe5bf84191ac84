import type { AskOption, Event, EventType } from '@remora/protocol/plain'
import { type EventFields, type EventMaker, parseTime } from '../events/event-maker.ts'
import { computeDigest } from '../events/digest.ts'
import { asRecord, asString } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** An event without a name of its own: what it is about is nowhere told but in this payload. */
export type HookFields = EventFields extends infer F
  ? F extends { type: EventType; entity: string }
    ? Omit<F, 'entity'> & { entity?: string }
    : never
  : never

/**
 * Makes the events of a payload. Those that name no entity are named by their own place, which stays the same
 * however often the payload is read.
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
 * What is remembered of each session, the latest only: a collector may run for months. Everything in it is JSON, so that
 * another process can go on with it.
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

/** Calls under way, by digests of their names, which may hold whole files. */
export type OpenCalls = string[]

/** A call begins. Those that were refused never end, so only the latest are kept. */
export function openCall(open: OpenCalls, entity: string): void {
  open.push(computeDigest(entity))
  if (open.length > 50) open.shift()
}

/** A call ends. Tells whether its beginning was seen: not everybody has a hook for that. */
export function closeCall(open: OpenCalls, entity: string): boolean {
  const index = open.indexOf(computeDigest(entity))
  if (index !== -1) open.splice(index, 1)
  return index !== -1
}

/** A session begins, or goes on. */
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

/** What a person said. */
export function toPromptFields(text: string, entity?: string): HookFields {
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text }],
    ...(entity === undefined ? {} : { entity }),
  }
}

/** Something goes on of which nothing else is to be told. */
export function toWorkingFields(detail: string): HookFields {
  return { type: 'status', status: 'working', detail }
}

/** What a CLI asks a person before it lets a tool run. */
interface HookAsk {
  /** The CLI's own id of the question; without one it is named by its place. */
  readonly id?: string | undefined
  readonly title: string
  readonly body?: string | undefined
  readonly toolUse?: string | undefined
  readonly options: readonly AskOption[]
}

/**
 * The session waits, and for what.
 *
 * @example toAskFields('Bash', { title: 'Allow Bash?', body: 'touch a', options })
 */
export function toAskFields(detail: string, { id, title, body, toolUse, options }: HookAsk): HookFields[] {
  // An answer counts for exactly this.
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

/** A call as a person is shown it: the command or the file where there is one, else all of its input. */
export function formatInput(input: unknown): string | undefined {
  const fields = asRecord(input)
  if (!fields) return asString(input)
  const words = asString(fields['command']) ?? asString(fields['file_path'])
  return words ?? (Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields, null, 2))
}

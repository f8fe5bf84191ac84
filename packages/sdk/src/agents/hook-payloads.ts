import type { Event, EventType } from '@remora/protocol/plain'
import { type EventFields, type EventMaker, timeOf } from '../event-maker.ts'
import { stringOf } from '../fields.ts'
import type { AgentRecord } from '../read-record.ts'

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
 * @example hookEvents(maker, payload, [{ type: 'status', status: 'ended' }])
 */
export function hookEvents(
  maker: EventMaker,
  payload: AgentRecord,
  fields: readonly HookFields[],
  raw: AgentRecord = payload,
): Event[] {
  const session = stringOf(payload['session_id'])
  if (session !== undefined) maker.session = session
  const time = timeOf(payload['timestamp'])
  if (time !== undefined) maker.at = time
  return fields.map((each, index) => {
    const event = maker.make({
      entity: '',
      ...each,
      ...(index === 0 && each.type !== 'unknown' ? { raw } : {}),
    })
    if (event.entity === '') event.entity = `${maker.source}/${event.origin.key}`
    return event
  })
}

/** What is remembered of each session, the latest only: a collector may run for months. */
export class PerSession<T> {
  readonly #known = new Map<string, T>()
  readonly #create: () => T

  constructor(create: () => T) {
    this.#create = create
  }

  of(payload: AgentRecord): T {
    const id = stringOf(payload['session_id']) ?? ''
    const value = this.#known.get(id) ?? this.#create()
    this.#known.delete(id)
    this.#known.set(id, value)
    if (this.#known.size > 200) this.#known.delete(this.#known.keys().next().value!)
    return value
  }
}

/** A session begins, or goes on. */
export function sessionFields(payload: AgentRecord): HookFields {
  const id = stringOf(payload['session_id'])
  const cwd = stringOf(payload['cwd'])
  const file = stringOf(payload['transcript_path'])
  const model = stringOf(payload['model'])
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
export function promptFields(text: string, entity?: string): HookFields {
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text }],
    ...(entity === undefined ? {} : { entity }),
  }
}

/** Something goes on of which nothing else is to be told. */
export function workingFields(detail: string): HookFields {
  return { type: 'status', status: 'working', detail }
}

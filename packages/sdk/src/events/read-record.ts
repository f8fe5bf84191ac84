import { type Event, parseJson } from '@remora/protocol/plain'
import type { EventMaker } from './event-maker.ts'
import { makeUnreadable } from './unreadable.ts'

/** A record written by an agent. Its fields are unchecked. */
export type AgentRecord = Readonly<Record<string, unknown>>

/**
 * Reads one line of JSON with a function that knows the agent's records. A line that is not a JSON object, or for which
 * the function returns undefined, becomes an `unknown` event.
 *
 * @example readRecord(maker, line, (record) => record.type === 'init' ? [...] : undefined)
 */
export function readRecord(
  maker: EventMaker,
  line: string,
  read: (record: AgentRecord) => Event[] | undefined,
): Event[] {
  let record: unknown
  try {
    record = parseJson(line)
  } catch (error) {
    if (line.trim() === '') return []
    maker.next()
    return [makeUnreadable(maker, line, error)]
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return unknown(maker, 'value', record)
  const known = record as AgentRecord
  return read(known) ?? unknown(maker, typeof known['type'] === 'string' ? known['type'] : 'record', record)
}

function unknown(maker: EventMaker, what: string, raw: unknown): Event[] {
  maker.next()
  return [maker.make({ type: 'unknown', entity: `${maker.source}/unknown/${what}`, what, raw })]
}

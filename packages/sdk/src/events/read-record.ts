import { type Event, parseJson } from '@remora/protocol/plain'
import type { EventMaker } from './event-maker.ts'
import { makeUnreadable } from './unreadable.ts'

/** One record of an agent's own, of which nothing is certain. */
export type AgentRecord = Readonly<Record<string, unknown>>

/**
 * Reads one line of JSON with a function that knows the agent's records. What is no JSON object, or what the function
 * does not know (undefined), becomes `unknown`: kept, never thrown.
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

import { type Event, type JsonFault, parseJson, JsonError } from '@remora/protocol/plain'
import type { EventMaker } from './event-maker.ts'

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

/** The most characters that are kept of an unreadable record. */
const maxKept = 1024 * 1024

const names: Readonly<Record<JsonFault, string>> = { syntax: 'text', depth: 'too deep', size: 'too large' }

/** A record that is not valid JSON or made its reader throw. */
interface Unreadable {
  readonly what: string
  /** The text of the record, possibly truncated. */
  readonly raw: string
  readonly message: string
}

/** @example describeUnreadable('[[[…', new JsonError('depth')).what // 'too deep' */
export function describeUnreadable(text: string, error: unknown): Unreadable {
  const message = explain(error)
  if (text.length > maxKept) return { what: 'too long', raw: text.slice(0, maxKept), message }
  return { what: error instanceof JsonError ? names[error.fault] : 'unreadable', raw: text, message }
}

function explain(error: unknown): string {
  if (!(error instanceof JsonError))
    return `A record could not be understood: ${error instanceof Error ? error.message : String(error)}`
  return error.fault === 'syntax' ? 'A record is not JSON' : `A record cannot be read: ${error.message}`
}

/** Makes the event for an unreadable record. The caller has begun the record with `maker.next()`. */
export function makeUnreadable(maker: EventMaker, text: string, error: unknown): Event {
  const { what, raw } = describeUnreadable(text, error)
  return maker.make({ type: 'unknown', entity: `${maker.source}/unknown/${what}`, what, raw })
}

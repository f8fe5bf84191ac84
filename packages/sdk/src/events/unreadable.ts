import { type Event, JsonError, type JsonFault } from '@remora/protocol/plain'
import type { EventMaker } from './event-maker.ts'

/** Of a record that cannot be read, no more than this is kept. */
const maxKept = 1024 * 1024

const names: Readonly<Record<JsonFault, string>> = { syntax: 'text', depth: 'too deep', size: 'too large' }

/** A record that a reader refused, or that made it throw: kept as text under the reason. */
export interface Unreadable {
  readonly what: string
  /** The text of the record, or its beginning. */
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

/** The event for a record that cannot be read. The caller has begun the record with `maker.next()`. */
export function makeUnreadable(maker: EventMaker, text: string, error: unknown): Event {
  const { what, raw } = describeUnreadable(text, error)
  return maker.make({ type: 'unknown', entity: `${maker.source}/unknown/${what}`, what, raw })
}

import type { EventFields } from '../../../events/event-maker.ts'
import { asRecord, asString } from '../../../events/fields.ts'

/** A message, or a line that is none, that nobody understands: kept under the name that it has for itself. */
export function toUnknownFields(source: string, raw: unknown): EventFields {
  const message = asRecord(raw)
  const update = asString(asRecord(asRecord(message?.['params'])?.['update'])?.['sessionUpdate'])
  const what = message ? (update ?? asString(message['method']) ?? 'reply') : 'text'
  return { type: 'unknown', entity: `${source}/unknown/${what}`, what, raw }
}

import type { EventFields } from '../../../events/event-maker.ts'
import { fieldsOf, stringOf } from '../../../events/fields.ts'

/** A message, or a line that is none, that nobody understands: kept under the name that it has for itself. */
export function unknownFields(source: string, raw: unknown): EventFields {
  const message = fieldsOf(raw)
  const update = stringOf(fieldsOf(fieldsOf(message?.['params'])?.['update'])?.['sessionUpdate'])
  const what = message ? (update ?? stringOf(message['method']) ?? 'reply') : 'text'
  return { type: 'unknown', entity: `${source}/unknown/${what}`, what, raw }
}

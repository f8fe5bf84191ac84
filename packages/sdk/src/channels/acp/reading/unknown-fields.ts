import type { EventFields } from '../../../events/event-maker.ts'
import { asRecord, asString } from '../../../events/fields.ts'

/** Keeps an unknown message or an invalid line under its own name. */
export function toUnknownFields(source: string, raw: unknown): EventFields {
  const message = asRecord(raw)
  const update = asString(asRecord(asRecord(message?.['params'])?.['update'])?.['sessionUpdate'])
  const what = message ? (update ?? asString(message['method']) ?? 'reply') : 'text'
  return { type: 'unknown', entity: `${source}/unknown/${what}`, what, raw }
}

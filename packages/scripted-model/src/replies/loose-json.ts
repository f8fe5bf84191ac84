// Requests come from many CLI versions. So a field that is missing or has an unexpected type reads as empty, not as an error.

export type LooseObject = Record<string, unknown>

export function toObject(value: unknown): LooseObject {
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is LooseObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function toObjects(value: unknown): LooseObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a content field: a string, or a list of parts, some with text. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value
  return toObjects(value)
    .map((part) => toText(part['text']))
    .filter((text) => text !== '')
    .join('\n')
}

// Requests come from CLIs of many versions: what is missing or of another type reads as empty, never as an error.

export type LooseObject = Record<string, unknown>

export function objectOf(value: unknown): LooseObject {
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is LooseObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): LooseObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a content field: a string, or a list of parts of which some have text. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => textOf(part['text']))
    .filter((text) => text !== '')
    .join('\n')
}

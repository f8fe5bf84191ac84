// Data of other programs may be nested or long without end. `JSON.parse` copes with that, but everything behind it walks
// values recursively: `JSON.stringify`, schemas, masking, hashing, rendering. So depth and size are limited once, here.

/** Deeper values are refused: no agent writes them, and walking through them would exhaust the stack. */
export const maxJsonDepth = 500

/** More values than this in one text would take more memory than the text is worth. */
const maxValues = 4_000_000

/** Replaces a value that is nested too deeply. */
export const tooDeep = '[nested too deeply]'

/** Why `parseJson` refused a text. */
export type JsonFault = 'syntax' | 'depth' | 'size'

/** Thrown by `parseJson`; `fault` says which limit the text breaks. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly fault: JsonFault

  constructor(fault: JsonFault, options?: ErrorOptions) {
    super(messages[fault], options)
    this.fault = fault
  }
}

const messages: Readonly<Record<JsonFault, string>> = {
  syntax: 'Not valid JSON',
  depth: `JSON is nested more than ${maxJsonDepth} levels deep`,
  size: `JSON has more than ${maxValues} values`,
}

/**
 * Parses JSON that another program wrote. Throws a `JsonError` for text that is no JSON, or whose value is too deep or
 * too large to be handled. With `cut`, a note replaces values that are too deep.
 *
 * @example parseJson('{"a":1}') // { a: 1 }
 */
export function parseJson(text: string, deep: 'refuse' | 'cut' = 'refuse'): unknown {
  if (text.length > maxValues && hasTooManyValues(text)) throw new JsonError('size')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new JsonError('syntax', { cause })
  }
  // Every level takes two characters.
  if (text.length <= 2 * maxJsonDepth) return value
  if (deep === 'cut') return limitDepth(value)
  if (isDeeper(value, maxJsonDepth)) throw new JsonError('depth')
  return value
}

/** Whether a value has more levels of arrays and objects than this. @example isDeeper([[]], 1) // true */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object' && isDeeper(each, levels - 1)) return true
    return false
  }
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key]
    if (typeof each === 'object' && isDeeper(each, levels - 1)) return true
  }
  return false
}

/**
 * The value itself, or a copy in which everything below this many levels is replaced by a note.
 *
 * @example limitDepth([[[]]], 2) // [['[nested too deeply]']]
 */
export function limitDepth<T>(value: T, levels = maxJsonDepth): T {
  return isDeeper(value, levels) ? (cut(value, levels) as T) : value
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return tooDeep
  if (Array.isArray(value)) return value.map((each) => cut(each, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each, levels - 1)]))
}

/** Counts values without parsing: each but the first of a list follows a comma, and each list an opening bracket. */
function hasTooManyValues(text: string): boolean {
  let values = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index + 1)
    else if ((code === comma || code === bracket || code === brace) && ++values > maxValues) return true
  }
  return false
}

const [quote, comma, bracket, brace, backslash] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c]

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

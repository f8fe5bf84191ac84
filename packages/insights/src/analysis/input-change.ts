import { inputText } from './input-text.ts'
import { distance } from './similar.ts'

/** The old and the new value of one field of an input; null if the field is missing. */
export interface InputChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

/** Longer texts are cut before they are compared. */
const enough = 2_000
/** Texts up to this length are also compared letter by letter. */
const short = 40

/**
 * How two inputs of one tool differ, field by field.
 *
 * @example inputChanges({ command: 'jq' }, { command: 'node' }) // [{ field: 'command', from: 'jq', to: 'node' }]
 */
export function inputChanges(before: unknown, after: unknown): InputChange[] {
  const [left, right] = [toFields(before), toFields(after)]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names.flatMap((field) => {
    const [from, to] = [toText(left[field]), toText(right[field])]
    return from === to ? [] : [{ field, from, to }]
  })
}

/** The parts of an input that are compared. */
export interface InputWords {
  readonly text: string
  readonly words: ReadonlySet<string>
}

/** Splits an input into words, to compare it with others. @example inputWords({ command: 'npm test' }) */
export function inputWords(input: unknown): InputWords {
  const text = inputText(input).slice(0, enough)
  // Parts of paths are words too.
  return { text, words: new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu)) }
}

/**
 * Whether two inputs of one tool belong to one attempt: they differ in a few letters, or share 40 % of their words.
 *
 * @example alike(inputWords({ command: 'cat a.txt' }), inputWords({ command: 'cat ./a.txt' })) // true
 */
export function alike(one: InputWords, other: InputWords): boolean {
  if (one.text === other.text) return true
  let shared = 0
  for (const word of one.words) if (other.words.has(word)) shared++
  const all = one.words.size + other.words.size - shared
  return (all > 0 && shared / all >= 0.4) || isTypo(one.text, other.text)
}

/** Whether most letters of two short texts are the same. */
function isTypo(left: string, right: string): boolean {
  const longer = Math.max(left.length, right.length)
  const changes = Math.floor(longer * 0.35)
  // Most pairs differ in length so much that the distance need not be computed.
  if (longer > short || longer - Math.min(left.length, right.length) > changes) return false
  return distance(left, right) <= changes
}

function toFields(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return input as Readonly<Record<string, unknown>>
  return input === undefined ? {} : { input }
}

function toText(value: unknown): string | null {
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

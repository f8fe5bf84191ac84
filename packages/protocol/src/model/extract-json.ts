import type { z } from 'zod'

/**
 * Finds the first JSON value in a text that fits the schema: the whole text, else a fenced block, else an object or list
 * inside the text. Undefined without one.
 *
 * @example extractJSON('Here you are: {"a": 1}. Enjoy!') // { a: 1 }
 */
export function extractJSON(text: string): unknown
export function extractJSON<S extends z.ZodType>(text: string, schema: S): z.infer<S> | undefined
export function extractJSON(text: string, schema?: z.ZodType): unknown {
  for (const candidate of candidates(text)) {
    const value = parse(candidate)
    if (value === undefined) continue
    if (!schema) return value
    const checked = schema.safeParse(value)
    if (checked.success) return checked.data
  }
  return undefined
}

function* candidates(text: string): Generator<string> {
  yield text
  for (const match of text.matchAll(/```[^\n`]*\n([\s\S]*?)```/g)) yield match[1]!
  yield* balanced(text)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Objects and lists inside a text. A value inside an earlier valid one is part of it and is skipped. */
function* balanced(text: string): Generator<string> {
  // Hostile text such as a million brackets would make every start scan to the end.
  let budget = text.length * 20
  const start = /[{[](?=\s*["{[\]}\dtfn-])/g
  for (let match = start.exec(text); match && budget > 0; match = start.exec(text)) {
    const end = closing(text, match.index)
    budget -= (end ?? text.length) - match.index
    if (end === undefined) continue
    const candidate = text.slice(match.index, end)
    yield candidate
    if (parse(candidate) !== undefined) start.lastIndex = end
  }
}

/** Where the bracket that opens at `from` closes, strings respected. */
function closing(text: string, from: number): number | undefined {
  let depth = 0
  for (let index = from; index < text.length; index++) {
    const char = text[index]
    if (char === '"') {
      for (index++; index < text.length && text[index] !== '"'; index++) if (text[index] === '\\') index++
    } else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return index + 1
  }
  return undefined
}

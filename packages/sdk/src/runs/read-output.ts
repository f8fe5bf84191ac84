import { extractJSON } from '@remora/protocol'
import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import { RemoraError } from '@remora/protocol/plain'
import { type Fit, type Fitting, fit, fittingFor } from './fitting.ts'

const excerptLength = 2000

/**
 * Reads a value from an answer by a schema. Invalid or truncated JSON is repaired, and a wrapped array or primitive is
 * unwrapped. The problem quotes the start of the answer.
 *
 * @example readOutput('Here: [1, 2', z.array(z.number())) // { value: [1, 2] }
 */
export function readOutput(text: string, schema: z.ZodType): Fit {
  const found = findOutput(text, fittingFor(schema, 'option output'))
  if ('value' in found) return found
  if (text.trim() === '') return { problem: `${found.problem} The answer is empty.` }
  const begins = text.length > excerptLength ? 'The answer begins with' : 'The answer was'
  return { problem: `${found.problem}\n${begins}:\n${text.slice(0, excerptLength)}` }
}

/** Reads a value with a prepared schema. @example findOutput('{"n": 1}', fitting) */
export function findOutput(text: string, fitting: Fitting): Fit {
  let problem: string | undefined
  const tryOut = (value: unknown): Fit => {
    const found = fit(fitting, value)
    if ('problem' in found) problem ??= found.problem
    return found
  }
  // Validate each candidate, so that the first valid value is found and not just the first value.
  const fitted = z.unknown().transform((value, context) => {
    const found = tryOut(value)
    if ('value' in found) return found
    context.addIssue({ code: 'custom', message: found.problem })
    return z.NEVER
  })
  const sound = extractJSON(text, fitted)
  if (sound !== undefined) return sound
  for (const value of repaired(text)) {
    const found = tryOut(value)
    if ('value' in found) return found
  }
  return { problem: problem ?? 'There is no JSON value in the answer.' }
}

/** Repairs a text to objects and arrays. Plain text would become a string, which is not meant as data. */
function* repaired(text: string): Generator<object> {
  for (const candidate of candidates(text)) {
    try {
      const value: unknown = JSON.parse(jsonrepair(candidate))
      if (typeof value === 'object' && value !== null) yield value
    } catch {
      // Cannot be repaired.
    }
  }
}

function* candidates(text: string): Generator<string> {
  const whole = text.trim()
  if (/^[[{]/.test(whole)) yield whole
  // The last block has no end if the answer was truncated.
  for (const match of text.matchAll(/```[^\n`]*\n([\s\S]*?)(?:```|$)/g)) {
    if (/^\s*[[{]/.test(match[1]!)) yield match[1]!
  }
  for (const [opens, closes] of [
    ['{', '}'],
    ['[', ']'],
  ] as const) {
    const from = text.indexOf(opens)
    if (from === -1) continue
    // Text after the value would be parsed as part of it.
    const to = text.lastIndexOf(closes)
    if (to > from) yield text.slice(from, to + 1)
    yield text.slice(from)
  }
}

/** The format of an answer: a zod schema, a JSON schema, or `json` for any value. */
export type OutputWish = 'json' | z.ZodType | Readonly<Record<string, unknown>>

/** How an answer is requested and parsed. */
export interface OutputFormat {
  /** The text to append to the prompt. */
  readonly instruction: string
  read(text: string): { readonly value: unknown } | { readonly problem: string }
}

export function outputFormat(output: OutputWish): OutputFormat {
  const instruction = 'Answer with one JSON value and nothing else.'
  if (output === 'json') {
    const anything = { schema: z.unknown(), json: {} }
    return { instruction, read: (text) => findOutput(text, anything) }
  }
  const fitting =
    output instanceof z.ZodType
      ? fittingFor(output, 'run: option output')
      : { schema: readSchema(output), json: output }
  return {
    instruction: `${instruction} It must fit this JSON schema:\n${JSON.stringify(fitting.json)}`,
    read: (text) => findOutput(text, fitting),
  }
}

function readSchema(schema: Readonly<Record<string, unknown>>): z.ZodType {
  try {
    return z.fromJSONSchema(schema)
  } catch (cause) {
    throw new RemoraError('usage', `run: option output: ${(cause as Error).message}`, {
      hint: 'Give a JSON schema, such as {"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}.',
      cause,
    })
  }
}

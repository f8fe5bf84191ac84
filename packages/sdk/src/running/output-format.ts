import { RemoraError, extractJSON } from '@remora/protocol'
import { z } from 'zod'

/** What an answer shall be: a zod schema, a JSON schema, or `json` for any value. */
export type OutputWish = 'json' | z.ZodType | Readonly<Record<string, unknown>>

/** How an answer becomes a value. */
export interface OutputFormat {
  /** What the prompt gets added. */
  readonly instruction: string
  read(text: string): { readonly value: unknown } | { readonly problem: string }
}

export function outputFormat(output: OutputWish): OutputFormat {
  if (output === 'json') {
    return {
      instruction: 'Answer with one JSON value and nothing else.',
      read(text) {
        const value = extractJSON(text)
        return value === undefined ? { problem: 'There is no JSON value in the answer.' } : { value }
      },
    }
  }
  const schema = output instanceof z.ZodType ? output : readSchema(output)
  const json = output instanceof z.ZodType ? z.toJSONSchema(output) : output
  return {
    instruction: `Answer with one JSON value and nothing else. It must fit this JSON schema:\n${JSON.stringify(json)}`,
    read(text) {
      const fitting = extractJSON(text, schema)
      if (fitting !== undefined) return { value: fitting }
      const any = extractJSON(text)
      if (any === undefined) return { problem: 'There is no JSON value in the answer.' }
      const checked = schema.safeParse(any)
      return checked.success ? { value: checked.data } : { problem: z.prettifyError(checked.error) }
    },
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

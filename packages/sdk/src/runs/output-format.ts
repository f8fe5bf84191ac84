import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'
import { fittingFor } from './fitting.ts'
import { findOutput } from './read-output.ts'

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

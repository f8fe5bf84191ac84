import { RemoraError } from '@remora/protocol/plain'
import type { z } from 'zod'
import { type Fit, type Fitting, fit, fittingFor, acceptsAnyValue } from '../../../runs/fitting.ts'
import { findOutput } from '../../../runs/read-output.ts'
import { structuredOutputName } from './tool.ts'

/** The tool with which a model answers with data. Each prompt contains the schema. */
export const structuredOutputTool = {
  name: structuredOutputName,
  description:
    'Hands over an answer as data. Use it only when the prompt asks for structured output, ' +
    'with data that fits the JSON schema given there.',
  inputSchema: {
    type: 'object' as const,
    properties: { data: { description: 'The answer, as the prompt describes it.' } },
    required: ['data'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

/** The data that one prompt requests. */
export interface Expectation {
  /** The text to append to the prompt. */
  readonly instruction: string
  /** The last valid value. */
  readonly value: { readonly value: unknown } | undefined
  /** The error of the last value; undefined if it was valid. */
  readonly lastProblem: string | undefined
  /** Accepts no more data. The last value stays. */
  end(): void
}

/** The pending request, if any. */
export class StructuredOutput {
  #current: OpenExpectation | undefined

  expect(schema: z.ZodType): Expectation {
    if (this.#current) {
      throw new RemoraError('conflict', 'Another prompt of this session still waits for its data', {
        hint: 'Prompts with an output follow each other.',
      })
    }
    const expectation = new OpenExpectation(fittingFor(schema, 'option output'), () => {
      if (this.#current === expectation) this.#current = undefined
    })
    this.#current = expectation
    return expectation
  }

  /** Handles a call of the tool and returns the answer for the model. */
  take(input: Readonly<Record<string, unknown>>): { text: string; isError: boolean } {
    if (!this.#current) {
      const text = 'No structured output is requested now. Answer in text.'
      return { text, isError: true }
    }
    const problem = this.#current.take(input)
    if (problem === undefined) return { text: 'The data was taken.', isError: false }
    return { text: `The data does not fit:\n${problem}\nCorrect it and call this tool again.`, isError: true }
  }
}

class OpenExpectation implements Expectation {
  readonly instruction: string
  value: { readonly value: unknown } | undefined
  lastProblem: string | undefined
  readonly #fitting: Fitting
  readonly end: () => void

  constructor(fitting: Fitting, end: () => void) {
    this.#fitting = fitting
    this.end = end
    const inside =
      fitting.key === undefined ? '' : ` The answer itself goes into its field \`${fitting.key}\`.`
    this.instruction =
      `Give your final answer as structured output: call the tool \`${structuredOutputName}\` of the MCP server ` +
      `\`remora\` with \`data\` that fits the JSON schema below.${inside} If the tool finds a problem, correct the ` +
      'data and call it again. Only if you have no such tool, answer with the JSON value and nothing else.\n' +
      `JSON schema:\n${JSON.stringify(fitting.json)}`
  }

  take(input: Readonly<Record<string, unknown>>): string | undefined {
    const found = understood(this.#fitting, input)
    if ('problem' in found) this.lastProblem = found.problem
    else {
      this.value = found
      this.lastProblem = undefined
    }
    return this.lastProblem
  }
}

/** Finds the data where models misplace it: as a string, or as the input itself. */
function understood(fitting: Fitting, input: Readonly<Record<string, unknown>>): Fit {
  if (!Object.hasOwn(input, 'data')) return fit(fitting, input)
  const { data } = input
  const isText = typeof data === 'string' && /^\s*[[{]/.test(data)
  const asText = isText ? findOutput(data, fitting) : undefined
  // If the schema accepts anything, a string with an object was meant as the object.
  if (asText && 'value' in asText && acceptsAnyValue(fitting.json)) return asText
  const asMeant = fit(fitting, data)
  if ('value' in asMeant) return asMeant
  if (asText && 'value' in asText) return asText
  // Only if the schema has such a field; otherwise a loose schema would accept the wrapper.
  const asWhole = hasData(fitting.json) ? fit(fitting, input) : asMeant
  if ('value' in asWhole) return asWhole
  return asText ?? asMeant
}

function hasData({ properties }: Fitting['json']): boolean {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, 'data')
}

import { RemoraError } from '@remora/protocol/plain'
import type { z } from 'zod'
import { type Fit, type Fitting, fit, fittingFor, takesAnything } from '../../../runs/fitting.ts'
import { findOutput } from '../../../runs/read-output.ts'
import { structuredOutputName } from './tool-server-name.ts'

/** The tool by which a model answers with data. What the data must be is told with each prompt. */
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

/** Data that one prompt waits for. */
export interface Expectation {
  /** What is added to the prompt. */
  readonly instruction: string
  /** The last value that fitted. */
  readonly value: { readonly value: unknown } | undefined
  /** Why the last one did not; undefined after one that did. */
  readonly lastProblem: string | undefined
  /** Nothing is taken any more. What was taken stays. */
  end(): void
}

/** What is waited for at the moment, if anything. */
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

  /** What the tool was called with; the answer is for the model. */
  take(input: Readonly<Record<string, unknown>>): { text: string; isError: boolean } {
    if (!this.#current) {
      const text = 'No structured output is asked for now. Answer in words.'
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

/** Models put data where it does not belong: as a text, or as the input itself. */
function understood(fitting: Fitting, input: Readonly<Record<string, unknown>>): Fit {
  if (!Object.hasOwn(input, 'data')) return fit(fitting, input)
  const { data } = input
  const isText = typeof data === 'string' && /^\s*[[{]/.test(data)
  const asText = isText ? findOutput(data, fitting) : undefined
  // Where anything goes, a text that is an object was meant as one.
  if (asText && 'value' in asText && takesAnything(fitting.json)) return asText
  const asMeant = fit(fitting, data)
  if ('value' in asMeant) return asMeant
  if (asText && 'value' in asText) return asText
  // Only where the schema has such a field itself: else a loose schema would take the wrong thing for nothing.
  const asWhole = hasData(fitting.json) ? fit(fitting, input) : asMeant
  if ('value' in asWhole) return asWhole
  return asText ?? asMeant
}

function hasData({ properties }: Fitting['json']): boolean {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, 'data')
}

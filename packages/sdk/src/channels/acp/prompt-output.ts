import type { z } from 'zod'
import type { Problem } from '../../contract/agent.ts'
import { outputFormat, readOutput } from '../../runs/read-output.ts'
import { toObstacleError } from './problem-fields.ts'
import type { ToolServer } from './tools/tool-server.ts'

/** The structured output of one prompt. */
export interface PromptOutput {
  /** The text to append to the prompt. */
  readonly instruction: string
  readonly value: { readonly value: unknown } | undefined
  /** After a turn: undefined if there is data, else a follow-up for the agent, or the final problem. */
  check(
    text: string,
  ): { readonly again: string } | { readonly problem: string; readonly hint: string } | undefined
  end(): void
}

/** How often the agent is asked to correct its answer. */
const corrections = 2

/** Reads the data from a tool call if the agent has the tool, else from its text. */
export function createPromptOutput(
  schema: z.ZodType,
  tools: ToolServer | undefined,
  obstacle: Problem | undefined,
): PromptOutput {
  if (obstacle) throw toObstacleError(obstacle)
  const expectation = tools?.expect(schema)
  const { instruction } = expectation ?? outputFormat(schema)
  let read: { readonly value: unknown } | undefined
  let asked = 0
  return {
    instruction,
    get value() {
      return expectation?.value ?? read
    },
    check(text) {
      if (expectation?.value) return undefined
      const found = readOutput(text, schema)
      if ('value' in found) {
        read = found
        return undefined
      }
      const problem = expectation?.lastProblem ?? found.problem
      if (asked++ < corrections)
        return { again: `Your answer could not be read:\n${problem}\n\n${instruction}` }
      return {
        problem: `The answer does not fit what was asked for: ${found.problem}`,
        hint: 'A simpler schema, or a stronger model, may help.',
      }
    },
    end: () => expectation?.end(),
  }
}

import type { z } from 'zod'

/** A tool of the caller that the model may call. */
export interface HostTool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  /** The schema of the input. A list or a scalar is wrapped in an object for the model. */
  readonly input: Input
  /** It changes nothing, so some agents run it without asking. */
  readonly readOnly?: boolean
  /** The result goes to the model: a string unchanged, anything else as JSON. A thrown error goes to it as an error. */
  run(input: z.infer<Input>, context: ToolContext): unknown
  /** Undoes what a failed call has done so far. */
  undo?(input: z.infer<Input>, context: ToolContext): void | Promise<void>
  /** The files that a call reads or writes, for policies. */
  reads?(input: z.infer<Input>): readonly string[]
  writes?(input: z.infer<Input>): readonly string[]
}

/** The session in which a tool runs. */
export interface ToolContext {
  readonly cwd: string
  /** Aborted when the turn is cancelled or the session closed. */
  readonly signal: AbortSignal
}

/**
 * Declares a tool. The schema types its input.
 *
 * @example
 * const clock = tool({ name: 'clock', description: 'The time', input: z.object({ zone: z.string() }),
 *   run: ({ zone }) => new Date().toLocaleString('en', { timeZone: zone }) })
 */
export function tool<Input extends z.ZodType>(definition: HostTool<Input>): HostTool<Input> {
  return definition
}

/** The MCP name of the server of host tools. */
export const toolServerName = 'remora'

/** The tool with which a model answers with data. */
export const structuredOutputName = 'structured_output'

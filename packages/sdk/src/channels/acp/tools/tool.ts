import type { z } from 'zod'

/** A tool of this program that the model may call. */
export interface HostTool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  /** Objects go as they are; a list or a plain value is asked for inside of one. */
  readonly input: Input
  /** It changes nothing, which some agents let pass without asking. */
  readonly readOnly?: boolean
  /** What it gives back is told to the model: a text as it is, anything else as JSON. What it throws as an error. */
  run(input: z.infer<Input>, context: ToolContext): unknown
  /** Takes back what a failed call has done so far. */
  undo?(input: z.infer<Input>, context: ToolContext): void | Promise<void>
  /** The files that a call reads or writes, for rules that look at them. */
  reads?(input: z.infer<Input>): readonly string[]
  writes?(input: z.infer<Input>): readonly string[]
}

export interface ToolContext {
  readonly cwd: string
  /** Aborted when the turn is cancelled or the session closed. */
  readonly signal: AbortSignal
}

/**
 * Declares a tool; its input is typed by the schema.
 *
 * @example
 * const clock = tool({ name: 'clock', description: 'The time', input: z.object({ zone: z.string() }),
 *   run: ({ zone }) => new Date().toLocaleString('en', { timeZone: zone }) })
 */
export function tool<Input extends z.ZodType>(definition: HostTool<Input>): HostTool<Input> {
  return definition
}

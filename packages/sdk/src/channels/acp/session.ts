import type { Usage } from '@remora/protocol/plain'
import type { z } from 'zod'
import type { Run } from '../../runs/run.ts'
import type { Choices } from './choices.ts'
import type { PromptContent, PromptOptions } from './options.ts'

/**
 * One conversation with an agent that stays. Prompts wait for each other.
 *
 * @example
 * for await (const event of session.prompt('Which test is slow?')) if (event.type === 'text') show(event.text)
 */
export interface Session extends AsyncDisposable {
  readonly id: string
  readonly cwd: string
  /** What the agent may do unasked: one of our modes, or one of its own by its id. */
  readonly mode: string | undefined
  /** The same by the agent's own ids, and what else it offers. */
  readonly modes: Readonly<Choices>
  readonly models: Readonly<Choices>
  /** The tokens of all prompts so far, as far as the agent told them. */
  readonly usage: Usage
  /** How many prompts are under way or wait for it. */
  readonly waiting: number

  /**
   * Says something to the agent. A prompt before it is answered first.
   *
   * @example const { data } = await session.prompt('Rate it', { output: z.object({ stars: z.number() }) }).result
   */
  prompt<Schema extends z.ZodType = z.ZodType>(
    content: PromptContent,
    options?: PromptOptions<Schema>,
  ): Run<z.infer<Schema>>
  /** Breaks off what the agent does and says this at once, before all that waits. */
  sendNow<Schema extends z.ZodType = z.ZodType>(
    content: PromptContent,
    options?: PromptOptions<Schema>,
  ): Run<z.infer<Schema>>
  /** Breaks off the prompt under way; settles when its turn is over. Does nothing when there is none. */
  cancel(): Promise<void>
  /** One of our modes, or one of the agent's own. @example await session.setMode('plan') */
  setMode(mode: string): Promise<void>
  setModel(model: string): Promise<void>
  /** Ends the conversation here; the agent keeps it, and it can be resumed. */
  close(): Promise<void>
}

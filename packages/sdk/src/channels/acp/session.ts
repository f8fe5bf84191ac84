import type { ModeInfo, Usage } from '@remora/protocol/plain'
import type { z } from 'zod'
import type { Run } from '../../runs/run.ts'
import type { Choices } from './choices.ts'
import type { PromptContent, PromptOptions } from './options.ts'

/**
 * One session with a connected agent. Prompts run one after the other.
 *
 * @example
 * for await (const event of session.prompt('Which test is slow?')) if (event.type === 'text') show(event.text)
 */
export interface Session extends AsyncDisposable {
  readonly id: string
  readonly cwd: string
  /** The name of the permission mode: `default`, `plan` and so on for the main modes, else the agent's id. */
  readonly mode: string | undefined
  /** The current and the offered modes, by the agent's ids. */
  readonly modes: Readonly<Choices>
  /** The modes that the session can be in, with labels and what each is like. */
  readonly permissionModes: readonly ModeInfo[]
  readonly models: Readonly<Choices>
  /** The reported usage of all prompts so far. */
  readonly usage: Usage
  /** The number of running and waiting prompts. */
  readonly waiting: number

  /**
   * Sends a prompt. Earlier prompts are answered first.
   *
   * @example const { data } = await session.prompt('Rate it', { output: z.object({ stars: z.number() }) }).result
   */
  prompt<Schema extends z.ZodType = z.ZodType>(
    content: PromptContent,
    options?: PromptOptions<Schema>,
  ): Run<z.infer<Schema>>
  /** Interrupts the running prompt and sends this one before all waiting prompts. */
  sendNow<Schema extends z.ZodType = z.ZodType>(
    content: PromptContent,
    options?: PromptOptions<Schema>,
  ): Run<z.infer<Schema>>
  /** Interrupts the running prompt, if any; resolves when its turn is over. */
  cancel(): Promise<void>
  /** Any name of a mode: `ask`, `bypass`, the agent's own. @example await session.setMode('plan') */
  setMode(mode: string): Promise<void>
  setModel(model: string): Promise<void>
  /** Closes the session. The agent keeps it, and it can be resumed. */
  close(): Promise<void>
}

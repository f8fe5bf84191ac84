import { z } from 'zod'
import { answerSources, askKinds } from './constants.ts'

/** One choice that an ask offers. */
export const AskOption = z.object({
  id: z.string(),
  label: z.string(),
  /** The effect of choosing it, for the color of its button and for policies. */
  effect: z.enum(['allow', 'allow_always', 'deny', 'deny_always', 'other']),
})
export type AskOption = z.infer<typeof AskOption>

/** A decision that the agent waits for. One answer settles it, once. */
export const Ask = z.object({
  id: z.string(),
  kind: z.enum(askKinds),
  title: z.string(),
  body: z.string().optional(),
  /** The entity of the tool call it is about. */
  toolUse: z.string().optional(),
  /** Claude's name of the tool, and the input in Claude's format, if known. */
  tool: z.string().optional(),
  input: z.unknown().optional(),
  /** Whether tool and input come from the agent itself, not from its screen. */
  exact: z.literal(true).optional(),
  /** The call that started the asking sub-agent. */
  parent: z.string().optional(),
  options: z.array(AskOption),
  /** Whether free text is accepted instead of an option. */
  freeText: z.boolean().optional(),
  /** The hash of the text that was shown. An answer must contain the same hash. */
  digest: z.string(),
  expiresAt: z.number().optional(),
})
export type Ask = z.infer<typeof Ask>

/** The decision of an ask, and who or what made it. */
export const Answer = z.object({
  ask: z.string(),
  /** The chosen option; absent when a text was given or the ask was withdrawn. */
  option: z.string().optional(),
  text: z.string().optional(),
  /**
   * What was decided at the keyboard, inferred from what the agent did next. The answer itself was not
   * reported, so `option` is absent.
   */
  inferred: z.enum(['allow', 'deny']).optional(),
  by: z.enum(answerSources),
  /** The name of the person who answered, and their device. */
  person: z.string().optional(),
  device: z.string().optional(),
  digest: z.string(),
})
export type Answer = z.infer<typeof Answer>

/** Settles asks: a callback, a terminal prompt, or the ledger that a phone answers through. */
export interface AskBroker {
  /**
   * Rejects when the signal aborts because the answer is no longer needed. Its reason may be the answer that was given
   * elsewhere; then that answer is stored, unless another one came first.
   */
  ask(
    ask: Ask,
    about: {
      readonly agent: string
      readonly session: string
      readonly signal: AbortSignal
      /** The exact call, if known, for brokers that decide by rules. */
      readonly call?: AskedCall
    },
  ): Promise<Answer>
}

/** A call as the agent reported it. */
export interface AskedCall {
  /** The workspace. */
  readonly cwd: string
  /** Claude's name for the tool, and the agent's own. */
  readonly name: string
  readonly native: string
  readonly input: unknown
  /** The kind that ACP gives it. @example 'edit' */
  readonly kind?: string
  /** All paths that it names, as the agent writes them. */
  readonly paths: readonly string[]
  readonly command?: string
}

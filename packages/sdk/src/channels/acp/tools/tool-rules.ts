/** Policies for the calls of host tools, and feedback for the model. */
export interface ToolRules {
  /** Each may refuse a call with a reason for the model. */
  readonly policies?: readonly ToolPolicy[]
  readonly feedback?: readonly Feedback[]
}

/** A call of a host tool, as policies see it. */
export interface ToolCall {
  readonly name: string
  readonly input: unknown
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** Undefined allows the call; a text refuses it. Throwing refuses too. */
export type ToolPolicy = (
  call: ToolCall,
  earlier: readonly ToolCall[],
  place: { readonly cwd: string },
) => string | undefined | Promise<string | undefined>

/** A text that is added to the result of a call when it is due. */
export interface Feedback {
  /** Due after every n calls, after every n seconds, or once a file exists. */
  readonly after: { readonly calls: number } | { readonly seconds: number } | { readonly file: string }
  readonly say: string | ((state: FeedbackState) => string | undefined)
}

/** The progress of the turn when feedback is given. */
export interface FeedbackState {
  readonly calls: number
  readonly seconds: number
  /** Milliseconds until the deadline of the prompt, if it has one. */
  readonly remainingMs?: number
}

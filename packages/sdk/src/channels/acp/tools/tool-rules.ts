/** What keeps the calls of host tools in order, and what the model is told about them on the way. */
export interface ToolRules {
  /** Each may refuse a call, with a reason that the model reads. */
  readonly policies?: readonly ToolPolicy[]
  readonly feedback?: readonly Feedback[]
}

/** A call of a host tool, as rules see it. */
export interface ToolCall {
  readonly name: string
  readonly input: unknown
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** Undefined lets the call pass; a text refuses it. One that throws refuses too. */
export type ToolPolicy = (
  call: ToolCall,
  earlier: readonly ToolCall[],
  place: { readonly cwd: string },
) => string | undefined | Promise<string | undefined>

/** Words that are added to the result of a call when something is due. */
export interface Feedback {
  /** After every so many calls, after every so many seconds, or once a file is there. */
  readonly after: { readonly calls: number } | { readonly seconds: number } | { readonly file: string }
  readonly say: string | ((state: FeedbackState) => string | undefined)
}

export interface FeedbackState {
  readonly calls: number
  readonly seconds: number
  /** Milliseconds until the deadline of the prompt, if it has one. */
  readonly remainingMs?: number
}

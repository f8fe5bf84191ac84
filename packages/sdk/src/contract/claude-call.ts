/** A tool call in Claude's words, in which every agent's calls are told. */
export interface ClaudeCall {
  readonly name: string
  readonly input: unknown
}

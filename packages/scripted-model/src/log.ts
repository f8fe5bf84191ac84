import type { Reply } from './scenario.ts'

/** The vendors' protocols. @example const wire: WireName = 'gemini' */
export type WireName = 'gemini' | 'anthropic' | 'responses' | 'chat' | 'other'

/**
 * What a request is for: a person's turn, or a side call of the CLI (`router` wants a JSON verdict, `summary` a title or a
 * summary). Side calls use up no reply of the scenario.
 *
 * @example
 * const turns = model.requests.filter((request) => request.kind === 'turn')
 */
export type RequestKind = 'turn' | 'router' | 'summary' | 'count' | 'models' | 'other'

/** One request as it came, with what the server made of it. @example expect(model.requests[0]?.prompt).toBe('hi') */
export interface LoggedRequest {
  at: number
  wire: WireName
  kind: RequestKind
  method: string
  path: string
  /** Complete, with keys: this server only ever sees fake ones. */
  headers: Record<string, string>
  body: unknown
  model?: string
  /** The person's last words, without what the CLI adds to them. */
  prompt?: string
  /** The names of the declared tools. */
  tools: string[]
  /** Every result in the history, the oldest first. */
  toolResults: { id: string; content: string }[]
  /** What was answered, if a reply was chosen. */
  reply?: Reply
}

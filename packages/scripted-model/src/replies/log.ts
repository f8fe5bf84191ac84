import type { Reply } from './scenario.ts'

/** The vendors' protocols. @example const wire: WireName = 'gemini' */
export type WireName = 'gemini' | 'anthropic' | 'responses' | 'chat' | 'other'

/**
 * The purpose of a request: a user's turn, or a side call of the CLI (`router` expects a JSON verdict, `summary` a title
 * or a summary). Side calls use no reply of the scenario.
 *
 * @example
 * const turns = model.requests.filter((request) => request.kind === 'turn')
 */
export type RequestKind = 'turn' | 'router' | 'summary' | 'count' | 'models' | 'other'

/** One request as received, and how the server read it. @example expect(model.requests[0]?.prompt).toBe('hi') */
export interface LoggedRequest {
  at: number
  wire: WireName
  kind: RequestKind
  method: string
  path: string
  /** All headers, with API keys, because this server only receives fake ones. */
  headers: Record<string, string>
  body: unknown
  model?: string
  /** The user's last prompt, without the text that the CLI adds. */
  prompt?: string
  /** The names of the declared tools. */
  tools: string[]
  /** Every result in the history, the oldest first. */
  toolResults: { id: string; content: string }[]
  /** The reply, if one was chosen. */
  reply?: Reply
}

import type { Answer } from '../replies/answer.ts'
import type { Conversation } from '../replies/conversation.ts'
import type { RequestKind, WireName } from '../replies/log.ts'

/** One vendor's protocol: reads requests, and writes answers and errors. */
export interface Wire {
  name: WireName
  /** The route of a request, or undefined if it belongs to another wire. */
  route(request: RequestHead): Route | undefined
  read(body: unknown, request: RequestHead): Conversation
  /** The events of a streamed answer, in order. */
  stream(answer: Answer): Frame[]
  /** The whole answer, for a client that does not stream. */
  whole(answer: Answer): unknown
  count(tokens: number): unknown
  models(): unknown
  error(status: number, quota: boolean, model: string): unknown
}

export interface RequestHead {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string>
}

export type Route = Extract<RequestKind, 'turn' | 'count' | 'models'>

export interface Frame {
  /** The name of the server-sent event, on the wires that name them. */
  event?: string
  data: unknown
  /** Contains a part of the answer, which is delayed and counts for `cutAfter`. */
  chunk?: boolean
}

export function chunk(data: unknown, event?: string): Frame {
  return event === undefined ? { data, chunk: true } : { event, data, chunk: true }
}

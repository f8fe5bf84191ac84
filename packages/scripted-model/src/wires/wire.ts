import type { Answer } from '../answer.ts'
import type { Conversation } from '../conversation.ts'
import type { RequestKind, WireName } from '../log.ts'

/** One vendor's protocol: how a request is read and how an answer, a side answer or an error is written. */
export interface Wire {
  name: WireName
  /** What an address is for, or undefined if it is not of this wire. */
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
  /** Carries a piece of the answer: it is delayed, and counted when a connection is to be cut. */
  chunk?: boolean
}

export function chunk(data: unknown, event?: string): Frame {
  return event === undefined ? { data, chunk: true } : { event, data, chunk: true }
}

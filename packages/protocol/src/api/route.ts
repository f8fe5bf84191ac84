import { z } from 'zod'
import type { PersonRole } from '../model/person.ts'

/** The access of a route: open, people with at least this role, or only the user of this machine (unix socket). */
export type Access = 'open' | PersonRole | 'user'

/** One route of the HTTP API without its handler. Routing, access checks, OpenAPI and the typed client come from it. */
export interface RouteContract {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** @example '/api/live/:id' */
  readonly path: string
  /** Imperative verb and object, for the OpenAPI document. @example 'List live sessions' */
  readonly summary: string
  readonly access: Access
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** The JSON response. A route without it responds with 204 or, if `bytes` says so, with a file. */
  readonly response?: z.ZodType
  /** Whether the request or the response body is a file instead of JSON. */
  readonly bytes?: 'request' | 'response'
}

/** Declares routes by name and keeps their exact types. @example defineRoutes({ listNodes: { method: 'get', path: '/api/nodes', … } }) */
export function defineRoutes<const T extends Readonly<Record<string, RouteContract>>>(routes: T): T {
  return routes
}

/** A JSON type whose fields and lists are all readonly. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

export const identifier = z.string().min(1).max(500)
export const filePath = z.string().min(1).max(4096)
/** The path parameters that identify a session. */
export const SessionParams = z.object({ agent: identifier, session: identifier })
export const LiveParams = z.object({ id: identifier })

/** Query parameters arrive as text. */
export const limit = (max: number) => z.coerce.number<number>().int().min(1).max(max).optional()
export const nonNegative = z.coerce.number<number>().int().nonnegative().optional()
/** Minutes that local time is ahead of UTC. */
export const utcOffset = z.coerce.number<number>().int().min(-900).max(900).optional()
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()

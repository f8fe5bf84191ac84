import type { Context as HonoContext, Hono } from 'hono'
import type { z } from 'zod'
import { readCall } from '../http/read-call.ts'
import type { Route } from '../http/route.ts'
import type { Access } from '../security/roles.ts'
import type { Who } from '../security/who.ts'

interface Shapes {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly response?: z.ZodType
  /** The body is a file as it is, or the answer is. */
  readonly bytes?: 'taken' | 'given'
}

type Read<S extends Shapes, K extends keyof Shapes> = S[K] extends z.ZodType ? z.infer<S[K]> : undefined

/** What can be asked for, without the part that answers: enough to check a request and to document it. */
export interface Described<S extends Shapes = Shapes> {
  readonly method: Route['method']
  readonly path: string
  readonly summary: string
  readonly access: Access
  readonly shapes: S
}

export interface Served<S extends Shapes> {
  readonly params: Read<S, 'params'>
  readonly query: Read<S, 'query'>
  readonly body: Read<S, 'body'>
  /** Absent only where nobody guards the door, as in tests. */
  readonly who: Who | undefined
  readonly request: Request
}

/** Declares a route and the least role that it needs; the types follow from the shapes. */
export function described<const S extends Shapes>(
  method: Route['method'],
  access: Access,
  path: `/api/${string}`,
  summary: string,
  shapes: S,
): Described<S> {
  return { method, path, summary, access, shapes }
}

/**
 * Serves what is described, on an app that is mounted below /api. What is returned is sent as JSON, but for a `Response`;
 * nothing is an empty answer.
 *
 * @example serve(app, api.changes, ({ params, query }) => readChanges(…))
 */
export function serve<S extends Shapes>(
  app: Hono,
  route: Described<S>,
  handle: (call: Served<S>) => unknown,
): void {
  app.on([route.method.toUpperCase()], route.path.slice('/api'.length), async (c: HonoContext) => {
    const read = await readCall(asRoute(route), c)
    const who = c.get('who') as Who | undefined
    const answer = await handle({ ...read, who, request: c.req.raw } as Served<S>)
    if (answer instanceof Response) return answer
    return answer === undefined ? c.body(null, 204) : c.json(answer as object)
  })
}

/** As a line of the table that the description of the API is made of. */
export function asRoute(route: Described): Route {
  return { ...route, handle: () => undefined }
}

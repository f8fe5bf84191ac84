// A client of the HTTP API whose calls are typed by the table of routes. It loads neither the table nor zod.
import type { z } from 'zod'
import type { DeepReadonly } from './api/route.ts'
import type { SignInMethod } from './model/error.ts'
import type { Api } from './api/routes/index.ts'

type Method = 'get' | 'post' | 'patch' | 'delete'
/** The routes that return JSON, by method and path. */
type Routes = {
  [
    K in keyof Api as Api[K] extends { readonly bytes: 'response' }
      ? never
      : `${Api[K]['method']} ${Api[K]['path']}`
  ]: Api[K]
}
type Find<M extends Method, P extends string> = Routes[`${M} ${P}` & keyof Routes]
type Optional<K extends string, T> =
  Partial<T> extends T ? { readonly [Key in K]?: T } : { readonly [Key in K]: T }

/** Query parameters are given as the values that the server reads, such as true instead of 'true'. */
type QueryOf<S extends z.ZodType> = {
  readonly [K in keyof z.input<S>]: z.output<S>[K & keyof z.output<S>] | undefined
}

type InputOf<C> = (C extends { readonly params: infer S extends z.ZodType }
  ? { readonly params: z.input<S> }
  : unknown) &
  (C extends { readonly query: infer S extends z.ZodType } ? Optional<'query', QueryOf<S>> : unknown) &
  (C extends { readonly body: infer S extends z.ZodType }
    ? Optional<'body', DeepReadonly<z.input<S>>>
    : C extends { readonly bytes: 'request' }
      ? { readonly body: Blob }
      : unknown)

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

/** The paths of a method. @example Path<'get'> // '/api/live' | '/api/live/:id' | … */
export type Path<M extends Method> = keyof Routes extends infer Key
  ? Key extends `${M} ${infer P}`
    ? P
    : never
  : never

/** What a route takes: `params`, `query` and `body`, as far as it has them. */
export type CallInput<M extends Method, P extends string> = InputOf<Find<M, P>>

/** What a route returns. @example CallResult<'get', '/api/live'> // { live: LiveInfo[] } */
export type CallResult<M extends Method, P extends string> =
  Find<M, P> extends { readonly response: infer S extends z.ZodType } ? z.output<S> : undefined

type Call<M extends Method> = <P extends Path<M>>(
  path: P,
  ...input: Partial<CallInput<M, P>> extends CallInput<M, P>
    ? [input?: CallInput<M, P> & CallOptions]
    : [input: CallInput<M, P> & CallOptions]
) => Promise<CallResult<M, P>>

/** A typed client: one function for each HTTP method. */
export type Client = { readonly [M in Method]: Call<M> }

/** An HTTP request that `send` of `createClient` executes. */
export interface ClientRequest extends CallOptions {
  readonly method: Uppercase<Method>
  /** With parameters and query. @example '/api/live/l-7f3k9q?settled=true' */
  readonly path: string
  /** A value for a JSON body, or a Blob. */
  readonly body?: unknown
}

/**
 * Creates a client. `send` returns the parsed JSON body, or undefined for an empty one, and throws for an error response.
 *
 * @example
 * const client = createClient(send)
 * const { messages } = await client.get('/api/sessions/:agent/:session/messages', { params, query: { limit: 50 } })
 */
export function createClient(send: (request: ClientRequest) => Promise<unknown>): Client {
  const call =
    (method: ClientRequest['method'], emptyBody?: object) =>
    (path: string, { params, query, body = emptyBody, ...options }: UntypedInput = {}) =>
      send({ method, path: formatPath(path, params, query), body, ...options })
  // The server refuses a JSON route without a body, also where every field is optional.
  return {
    get: call('GET'),
    post: call('POST', {}),
    patch: call('PATCH', {}),
    delete: call('DELETE'),
  } as Client
}

/**
 * Reads the body of an error response; unknown fields of a proxy's response are left out.
 *
 * @example readError(await response.json())
 */
export function readError(json: unknown): {
  code?: string
  message?: string
  hint?: string
  signIn?: readonly SignInMethod[]
} {
  const { error } = (json ?? {}) as { error?: unknown }
  const { code, message, hint, signIn } = (error ?? {}) as Record<string, unknown>
  return {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(Array.isArray(signIn) ? { signIn: signIn as SignInMethod[] } : {}),
  }
}

interface UntypedInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

function formatPath(path: string, params: UntypedInput['params'], query: UntypedInput['query'] = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''))
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given).toString()}`
}

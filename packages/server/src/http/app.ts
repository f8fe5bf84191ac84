import type { IncomingMessage } from 'node:http'
import { type RouteContract, api } from '@remora/protocol/api'
import { Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { toAddressKey } from '../security/addresses.ts'
import type { Admitted, RequestInfo } from '../security/gate.ts'
import { safeHeaders } from '../security/headers.ts'
import { HttpError, getRetryAfter, toErrorResponse } from '../security/http-error.ts'
import { type Limits, limits } from '../security/limits.ts'
import { requireAccess, requireWho } from '../security/roles.ts'
import type { Who } from '../security/who.ts'
import type { AppFiles } from './app-files.ts'
import { createSizeError, readCall } from './read-call.ts'
import type { Call, Route, Services } from './route.ts'
import { askRoutes, commandRoutes, hookRoutes, liveRoutes } from './routes/live.ts'
import { servePages } from './routes/pages.ts'
import { auditRoutes, deviceRoutes, peopleRoutes } from './routes/devices.ts'
import { insightsRoutes } from './routes/insights.ts'
import { serverRoutes } from './routes/server.ts'
import { completionRoutes, sessionRoutes } from './routes/sessions.ts'

/** The bindings of the adapter, and the result of authentication. */
export interface Env {
  Bindings: {
    readonly incoming: IncomingMessage
    readonly admit: (request: RequestInfo) => Admitted
    readonly secure: boolean
  }
  Variables: { who: Who | undefined; bodyBytes: number; isDeclared?: boolean }
}

export interface AppOptions extends Services {
  readonly limits?: Limits
  /** Routes whose handlers need more than `Services`. */
  readonly routes?: readonly Route[]
  /** The phone app. */
  readonly files?: AppFiles | undefined
}

/** Creates the HTTP app that every listener serves. */
export function createApp(options: AppOptions): Hono<Env> {
  const { context, files } = options
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(safeHeaders)) c.header(name, value)
    const { who } = c.env.admit(toRequestInfo(c.env.incoming))
    c.set('who', who)
    if (who?.kind === 'device') await options.devices.markSeen(who.client)
    await next()
    // A handler that returns its own Response, such as a file, skips the headers set above.
    if (c.res.headers.has('x-frame-options')) return
    for (const [name, value] of Object.entries(safeHeaders))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  })
  app.use(limitBody(options.limits ?? limits))
  checkAccess(app)
  servePages(app, options, files?.isBuilt ?? false)
  serveRoutes(app, coreRoutes, options)
  app.use('/api/*', refuseForms)
  serveRoutes(app, [...hookRoutes, ...(options.routes ?? [])], options)
  app.notFound(async (c) => {
    const file = await findFile(files, c.req)
    if (file) {
      for (const [name, value] of Object.entries(file.headers)) c.header(name, value)
      // The header may list several tags, and marks those of compressed files as weak.
      const isKnown = (c.req.header('if-none-match') ?? '').includes(file.headers['etag']!)
      return isKnown ? c.body(null, 304) : c.body(file.body, 200)
    }
    requireWho(c.get('who'))
    throw new HttpError(404, 'not_found', 'Not found')
  })
  app.onError((error, c) => {
    const { status, error: body } = toErrorResponse(error)
    if (status >= 500)
      context.log('error', 'Request failed', { path: c.req.path.slice(0, 200), why: String(error) })
    // The unread rest of the body would be parsed as the next request.
    if (status === 413) c.header('connection', 'close')
    const retryAfter = getRetryAfter(error)
    if (retryAfter !== undefined) c.header('retry-after', retryAfter)
    for (const [name, value] of Object.entries(safeHeaders)) c.header(name, value)
    return c.json({ error: body }, status as 400)
  })
  return app
}

/**
 * Registers the access check of every route before any handler. A path below /api that no contract declares exists only
 * for the user of the machine.
 */
function checkAccess(app: Hono<Env>): void {
  for (const { method, path, access } of Object.values<RouteContract>(api))
    app.on([method.toUpperCase()], path, async (c, next) => {
      // The first contract that matches is the one that responds.
      if (!c.get('isDeclared')) {
        c.set('isDeclared', true)
        requireAccess(access, c.get('who'))
      }
      await next()
    })
  app.use('/api/*', async (c, next) => {
    if (!c.get('isDeclared') && requireWho(c.get('who')).kind !== 'user')
      throw new HttpError(404, 'not_found', 'Not found')
    await next()
  })
}

/** Serves results as JSON, `undefined` as 204 and a `Response` as it is. */
export function serveRoutes(app: Hono<Env>, routes: readonly Route[], services: Services): void {
  for (const route of routes)
    app.on([route.method.toUpperCase()], route.path, async (c) => {
      const result = await route.handle({
        ...services,
        ...(await readCall(route, c)),
        who: c.get('who'),
        address: toAddressKey(c.env.incoming.socket.remoteAddress),
        // A TLS proxy of the user connects without TLS; the gate has checked its origin.
        secure: c.env.secure || (c.req.header('origin') ?? '').startsWith('https:'),
        request: c.req.raw,
        set: (name: string, value: string) => c.header(name, value),
      } as Call)
      if (result === undefined) return c.body(null, 204)
      return result instanceof Response ? result : c.json(result as object)
    })
}

async function findFile(files: AppFiles | undefined, request: HonoRequest) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  return await files?.find(
    request.path,
    request.header('accept') ?? '',
    request.header('accept-encoding') ?? '',
  )
}

/** Picks the parts of a request that the gate checks. */
function toRequestInfo(incoming: IncomingMessage): RequestInfo {
  const { method = '', url = '', headers, rawHeaders, socket } = incoming
  return { method, url, headers, rawHeaders, address: socket.remoteAddress }
}

/** Refuses a body by its declared length. Readers count the bytes of a body without one. */
function limitBody(bounds: Limits): MiddlewareHandler<Env> {
  return async (c, next) => {
    const isLarge = /^\/api\/(?:uploads|hooks)(?:\/|$)/.test(c.req.path)
    const maxBytes = isLarge ? bounds.uploadBytes : bounds.bodyBytes
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw createSizeError()
    c.set('bodyBytes', maxBytes)
    await next()
  }
}

/** Routes that read bytes must not accept the types that a form on another site can send. */
const refuseForms: MiddlewareHandler<Env> = async (c, next) => {
  requireWho(c.get('who'))
  const type = (c.req.header('content-type') ?? '').toLowerCase()
  if (/^(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/.test(type))
    throw new HttpError(415, 'usage', 'Unsupported content type')
  await next()
}

/** The routes whose handlers need nothing but `Services`. Changes, files, push, reviews and the demo add their own. */
const coreRoutes: readonly Route[] = [
  ...serverRoutes,
  ...deviceRoutes,
  ...peopleRoutes,
  ...auditRoutes,
  ...sessionRoutes,
  ...completionRoutes,
  ...liveRoutes,
  ...askRoutes,
  ...commandRoutes,
  ...insightsRoutes,
]

import type { IncomingMessage } from 'node:http'
import { Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { addressKey } from '../security/addresses.ts'
import type { Admitted, Knock } from '../security/gate.ts'
import { safeHeaders } from '../security/headers.ts'
import { HttpError, getRetryAfter, tellable } from '../security/http-error.ts'
import { type Limits, limits } from '../security/limits.ts'
import { requireWho } from '../security/roles.ts'
import type { Who } from '../security/who.ts'
import type { AppFiles } from './app-files.ts'
import { guard } from './guard.ts'
import { mountedRoutes } from './mounts.ts'
import { readCall, tooLarge } from './read-call.ts'
import type { Call, Services } from './route.ts'
import { routes } from './routes.ts'
import { Text } from './text.ts'

/** What the adapter gives with a request, and what the gate has found out. */
export interface Env {
  Bindings: {
    readonly incoming: IncomingMessage
    readonly admit: (knock: Knock) => Admitted
    readonly secure: boolean
  }
  Variables: { who: Who | undefined; bodyBytes: number; isDeclared?: boolean }
}

export interface AppOptions extends Services {
  readonly limits?: Limits
  /** Routes of other parts, below /api, as they are declared in the table. `c.get('who')` tells who asks. */
  readonly mounts?: readonly Hono[]
  /** The phone app. */
  readonly files?: AppFiles | undefined
}

/** Everything that is served by HTTP, on every listener. */
export function createApp(options: AppOptions): Hono<Env> {
  const bounds = options.limits ?? limits
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(safeHeaders)) c.header(name, value)
    const { who } = c.env.admit(knockOf(c.env.incoming))
    c.set('who', who)
    if (who?.kind === 'device') await options.devices.seen(who.client)
    await next()
    // What is answered as it is, such as a file, has headers of its own and none of ours yet.
    if (c.res.headers.has('x-frame-options')) return
    for (const [name, value] of Object.entries(safeHeaders))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  })
  app.use(limitBody(bounds))
  guard(app, [...routes, ...mountedRoutes])
  // A line of text stands in for an app that is not built.
  const served = options.files?.isBuilt ? routes.filter(({ path }) => path !== '/') : routes
  for (const route of served)
    app.on([route.method.toUpperCase()], route.path, async (c) => {
      const read = await readCall(route, c)
      const call = {
        ...options,
        ...read,
        who: c.get('who'),
        address: addressKey(c.env.incoming.socket.remoteAddress),
        // Or by a proxy of the user's, whose origin the gate knows.
        secure: c.env.secure || (c.req.header('origin') ?? '').startsWith('https:'),
        set: (name: string, value: string) => c.header(name, value),
      } as Call
      const answer = await route.handle(call)
      if (answer === undefined) return c.body(null, 204)
      if (answer instanceof Text) return c.body(answer.text, 200, { 'content-type': answer.type })
      return c.json(answer as object)
    })
  app.use('/api/*', refuseForms)
  for (const mount of options.mounts ?? []) app.route('/api', mount as unknown as Hono<Env>)
  app.notFound(async (c) => {
    const file = await appFile(options.files, c.req)
    if (file) {
      for (const [name, value] of Object.entries(file.headers)) c.header(name, value)
      // A browser may know several, and calls those weak that came packed.
      const isKnown = (c.req.header('if-none-match') ?? '').includes(file.headers['etag']!)
      return isKnown ? c.body(null, 304) : c.body(file.body, 200)
    }
    requireWho(c.get('who'))
    throw new HttpError(404, 'not_found', 'Not found')
  })
  app.onError((error, c) => {
    const { status, error: told } = tellable(error)
    if (status >= 500)
      options.context.log('error', 'a request failed', { path: c.req.path.slice(0, 200), why: String(error) })
    // What is left of a body that nobody read would be taken for the next request.
    if (status === 413) c.header('connection', 'close')
    const retryAfter = getRetryAfter(error)
    if (retryAfter !== undefined) c.header('retry-after', retryAfter)
    for (const [name, value] of Object.entries(safeHeaders)) c.header(name, value)
    return c.json({ error: told }, status as 400)
  })
  return app
}

async function appFile(files: AppFiles | undefined, request: HonoRequest) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  return await files?.find(
    request.path,
    request.header('accept') ?? '',
    request.header('accept-encoding') ?? '',
  )
}

/** The parts of a request that the gate looks at. */
export function knockOf(incoming: IncomingMessage): Knock {
  const { method = '', url = '', headers, rawHeaders, socket } = incoming
  return { method, url, headers, rawHeaders, address: socket.remoteAddress }
}

/** A body that says it is too large is not read at all; one that does not say it is counted while it is read. */
function limitBody(bounds: Limits): MiddlewareHandler<Env> {
  return async (c, next) => {
    const isLarge = /^\/api\/(?:uploads|hooks)(?:\/|$)/.test(c.req.path)
    const most = isLarge ? bounds.uploadBytes : bounds.bodyBytes
    if (Number(c.req.header('content-length') ?? 0) > most) throw tooLarge()
    c.set('bodyBytes', most)
    await next()
  }
}

/** Other parts read bodies of many types, but never one that a form of another site could send unasked. */
const refuseForms: MiddlewareHandler<Env> = async (c, next) => {
  requireWho(c.get('who'))
  const type = (c.req.header('content-type') ?? '').toLowerCase()
  if (/^(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/.test(type))
    throw new HttpError(415, 'usage', 'Unsupported content type')
  await next()
}

import { type RequestListener, type Server, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { addressKey } from '../security/addresses.ts'
import type { Admitted, Knock } from '../security/gate.ts'
import { safeHeaders } from '../security/headers.ts'
import type { Limits } from '../security/limits.ts'
import { createUpgradeHandler } from '../ws/upgrade.ts'
import type { Hub } from '../ws/hub.ts'
import type { Env } from './app.ts'

export interface ServerOptions {
  readonly app: Hono<Env>
  readonly hub: Hub
  readonly limits: Limits
  readonly secure: { readonly cert: string; readonly key: string } | undefined
  readonly admit: (knock: Knock) => Admitted
}

/** One door: the same app and the same WebSocket, with its own way to know who comes. */
export function makeServer(options: ServerOptions): Server {
  const { app, limits, secure, admit } = options
  const isSecure = secure !== undefined
  const bindings = { admit, secure: isSecure }
  const listener = getRequestListener((request, env) => app.fetch(request, { ...env, ...bindings }), {
    overrideGlobalObjects: false,
    errorHandler: () => new Response(null, { status: 400 }),
  }) as unknown as RequestListener
  const bounds = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(100, Math.min(5000, limits.headersMs / 2)),
    insecureHTTPParser: false,
    requireHostHeader: true,
  }
  const server: Server = isSecure
    ? createSecureServer(
        { ...bounds, ...secure, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs },
        listener,
      )
    : createServer(bounds, listener)
  server.maxHeadersCount = limits.headerCount
  server.maxConnections = limits.connections
  boundConnections(server, limits)
  server.on('upgrade', createUpgradeHandler(options))
  server.on('connect', (_, socket: Duplex) => socket.destroy())
  server.on('clientError', answerBroken)
  return server
}

/** No address takes all connections for itself. */
function boundConnections(server: Server, limits: Limits): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    // The unix socket has none: its only user is not held back.
    if (socket.remoteAddress === undefined) return
    const key = addressKey(socket.remoteAddress)
    const count = (counts.get(key) ?? 0) + 1
    if (count > limits.connectionsPerAddress) {
      socket.destroy()
      return
    }
    counts.set(key, count)
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    })
  })
}

/** Says no to what is no request, and hangs up. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Before TLS stands nothing can be said: it would wait with the connection for ever.
  if (error.code === 'ECONNRESET' || /^ERR_(?:TLS|SSL)/.test(error.code ?? '') || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  socket.end(head(status))
  // One who does not go is not waited for.
  setTimeout(() => socket.destroy(), 1000).unref()
}

function head(status: string): string {
  const headers = Object.entries(safeHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n${headers.join('')}\r\n`
}

import { type RequestListener, type Server, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { toAddressKey } from '../security/addresses.ts'
import type { Admitted, RequestInfo } from '../security/gate.ts'
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
  readonly admit: (request: RequestInfo) => Admitted
}

/** Creates one listener of the app and the WebSocket, with its own authentication. */
export function createHttpServer(options: ServerOptions): Server {
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
  limitConnections(server, limits)
  server.on('upgrade', createUpgradeHandler(options))
  server.on('connect', (_, socket: Duplex) => socket.destroy())
  server.on('clientError', rejectInvalidRequest)
  return server
}

/** Limits the connections of each address. */
function limitConnections(server: Server, limits: Limits): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    // Clients of the unix socket have no address and no limit.
    if (socket.remoteAddress === undefined) return
    const key = toAddressKey(socket.remoteAddress)
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

/** Answers an invalid request and closes the connection. */
function rejectInvalidRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Before the TLS handshake no response can be sent: the write would wait forever.
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
  socket.end(formatHead(status))
  // The client may not close its side.
  setTimeout(() => socket.destroy(), 1000).unref()
}

function formatHead(status: string): string {
  const headers = Object.entries(safeHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n${headers.join('')}\r\n`
}

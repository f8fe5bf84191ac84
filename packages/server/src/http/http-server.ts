import { type IncomingMessage, type RequestListener, type Server, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { toAddressKey } from '../security/addresses.ts'
import { type Admitted, type RequestInfo, requireOrigin } from '../security/gate.ts'
import { safeHeaders } from '../security/headers.ts'
import type { Limits } from '../security/limits.ts'
import type { Hub } from '../ws/hub.ts'
import type { Env } from './app.ts'
import { WebSocketServer } from 'ws'
import { HttpError, getRetryAfter, toErrorResponse } from '../security/http-error.ts'
import { requireWho } from '../security/roles.ts'

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

interface UpgradeOptions {
  readonly hub: Hub
  readonly limits: Limits
  readonly admit: (request: RequestInfo) => Admitted
}

/** Creates the handler of WebSocket upgrades: one path, authenticated by the same gate as HTTP. */
function createUpgradeHandler({ hub, limits, admit }: UpgradeOptions) {
  const server = new WebSocketServer({
    noServer: true,
    // Compression costs memory for each client and time for each event.
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    clientTracking: false,
  })
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy())
    try {
      const { method = '', url = '', headers, rawHeaders } = request
      const info = { method, url, headers, rawHeaders, address: request.socket.remoteAddress }
      const admitted = admit(info)
      const who = requireWho(admitted.who)
      if (admitted.by === 'cookie') requireOrigin(info)
      if (url.split('?')[0] !== '/api/ws') throw new HttpError(404, 'not_found', 'Not found')
      hub.checkCapacity(who)
      server.handleUpgrade(request, socket, head, (opened) => void hub.accept(opened, who))
    } catch (error) {
      rejectUpgrade(socket, error)
    }
  }
}

function rejectUpgrade(socket: Duplex, error: unknown): void {
  const { status, error: response } = toErrorResponse(error)
  const body = JSON.stringify({ error: response })
  const retryAfter = getRetryAfter(error)
  const fields = { ...safeHeaders, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) }
  const headers = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n${headers.join('')}\r\n${body}`,
    () => socket.destroy(),
  )
}

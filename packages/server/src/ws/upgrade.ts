import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { type Admitted, type RequestInfo, requireOrigin } from '../security/gate.ts'
import { safeHeaders } from '../security/headers.ts'
import { HttpError, getRetryAfter, toErrorResponse } from '../security/http-error.ts'
import type { Limits } from '../security/limits.ts'
import { requireWho } from '../security/roles.ts'
import type { Hub } from './hub.ts'

export interface UpgradeOptions {
  readonly hub: Hub
  readonly limits: Limits
  readonly admit: (request: RequestInfo) => Admitted
}

/** Creates the handler of WebSocket upgrades: one path, authenticated by the same gate as HTTP. */
export function createUpgradeHandler({ hub, limits, admit }: UpgradeOptions) {
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
      refuse(socket, error)
    }
  }
}

function refuse(socket: Duplex, error: unknown): void {
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

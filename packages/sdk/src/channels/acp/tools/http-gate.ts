import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

const path = '/mcp'
const bodyLimit = 16 * 1024 * 1024

/** Answers an authorized request. */
export type Answer = (request: Request) => Promise<Response>

/** An HTTP server on loopback that requires the token. */
export interface HttpGate {
  readonly url: string
  /** Closes every connection, also idle ones. */
  close(): Promise<void>
}

/** Opens the server on a free port. @example const gate = await openGate(token, handler.fetch) */
export async function openGate(token: string, answer: Answer): Promise<HttpGate> {
  const expected = digest(`Bearer ${token}`)
  const server = createServer((request, response) => {
    const port = (server.address() as AddressInfo | null)?.port ?? 0
    const refused = checkRequest(request, port, expected)
    const handling = refused ? refuse(request, response, refused) : serve(request, response, answer)
    // The connection is closed, or the handler failed before it answered.
    handling.catch(() => response.destroy())
  })
  // An agent may be idle for hours, so connections have no timeout.
  server.keepAliveTimeout = 0
  await listening(server)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Refusal {
  readonly status: number
  readonly reason: string
}

const tooLarge: Refusal = { status: 413, reason: `The body is larger than ${bodyLimit} bytes` }

/** A web page can send requests to loopback, but cannot forge its origin or the requested host. */
function checkRequest(request: IncomingMessage, port: number, expected: Buffer): Refusal | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const { host, origin, authorization } = request.headers
  if (!hosts.includes(host?.toLowerCase() ?? '')) return { status: 403, reason: 'Host not allowed' }
  if (origin !== undefined && !hosts.some((each) => origin.toLowerCase() === `http://${each}`)) {
    return { status: 403, reason: 'Origin not allowed' }
  }
  const target = (request.url ?? '').split('?', 1)[0]
  if (target !== path) return { status: 404, reason: 'Not found' }
  // Digests have equal lengths, so the comparison leaks nothing about the token.
  const given = digest((authorization ?? '').replace(/^bearer +/i, 'Bearer '))
  if (!timingSafeEqual(given, expected)) return { status: 401, reason: 'Unauthorized' }
  // A slightly larger body is read first, because a client that is still sending would miss the answer.
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit * 2) return tooLarge
  return undefined
}

async function serve(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) return await refuse(request, response, tooLarge)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const answered = await answer(webRequest(request, body, gone.signal))
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  if (answered.body) await pipeline(answered.body, response)
  else response.end()
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, reason }: Refusal,
): Promise<void> {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    // The unread rest of a body would be taken for the next request.
    ...(request.complete ? {} : { connection: 'close' }),
  }
  response.writeHead(status, headers)
  response.end(reason)
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= bodyLimit) chunks.push(chunk)
    else if (length > bodyLimit * 2) return undefined
  }
  return length > bodyLimit ? undefined : Buffer.concat(chunks)
}

function webRequest(request: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(name, each)
  }
  const method = request.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://${request.headers.host}${request.url}`, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

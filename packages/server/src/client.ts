// How programs talk to a running server over its unix socket. It loads quickly, without zod.
import { request as httpRequest } from 'node:http'
import { type ClientMessage, RemoraError, type ServerMessage, errorCodes } from '@remora/protocol/plain'
import { type CallResult, type Client, createClient, readError } from '@remora/protocol/client'
import { checkSocketOwner, getSocketPath } from './unix/socket-path.ts'

export { getSocketPath } from './unix/socket-path.ts'
export { getLocalPerson } from './security/people.ts'

/** The state folder of the server, and the default timeout. */
export interface ClientOptions {
  readonly remoraHome: string
  readonly timeoutMs?: number
}

/** The body, query and limits of one request. */
export interface RequestOptions {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

/** A running server, called as the user of its machine. `get`, `post`, `patch` and `delete` are typed by the table of routes. */
export interface ServerClient extends Client {
  readonly socket: string
  /** Sends any request and returns the JSON body. Error responses are thrown with the server's code. */
  request<T = unknown>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: RequestOptions,
  ): Promise<T>
  /** Gets the version of the server; undefined if none is running. */
  health(): Promise<CallResult<'get', '/health'> | undefined>
  /** Opens the stream of events and commands; it is open when this resolves. */
  open(signal?: AbortSignal): Promise<ServerStream>
}

/** The messages of the server in order, until either side closes the stream. */
export interface ServerStream extends AsyncIterable<ServerMessage> {
  send(message: ClientMessage): void
  close(): void
}

/** Starting a session may take this long. */
const defaultTimeoutMs = 120_000

/**
 * Connects to the server of a folder of state. Calls throw `not_found` if none is running.
 *
 * @example
 * const server = createServerClient({ remoraHome })
 * const { live } = await server.get('/api/live')
 */
export function createServerClient({
  remoraHome,
  timeoutMs = defaultTimeoutMs,
}: ClientOptions): ServerClient {
  const socket = getSocketPath(remoraHome)
  const client: ServerClient = {
    ...createClient(({ method, path, ...options }) => client.request(method, path, options)),
    socket,
    async request<T>(method: string, path: string, options: RequestOptions = {}) {
      checkSocketOwner(socket)
      return (await send(socket, method, path, { timeoutMs, ...options })) as T
    },
    async health() {
      try {
        return await client.get('/health', { timeoutMs: 5000 })
      } catch (error) {
        if (RemoraError.is(error) && error.code === 'not_found') return undefined
        throw error
      }
    },
    async open(signal) {
      checkSocketOwner(socket)
      const { openStream } = await import('./unix/stream.ts')
      return openStream(socket, signal).catch((error: Error) => {
        throw toConnectionError(error, socket)
      })
    },
  }
  return client
}

function send(socketPath: string, method: string, path: string, options: RequestOptions): Promise<unknown> {
  const { body, query = {}, signal, timeoutMs = defaultTimeoutMs } = options
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        socketPath,
        method,
        path: search === '' ? path : `${path}?${search}`,
        headers: {
          host: 'localhost',
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
        ...(signal ? { signal } : {}),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          try {
            resolve(parseResponse(response.statusCode ?? 0, Buffer.concat(chunks).toString()))
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)))
          }
        })
      },
    )
    request.setTimeout(timeoutMs, () =>
      request.destroy(
        new RemoraError('timeout_total', `The server did not respond within ${timeoutMs / 1000} s`),
      ),
    )
    request.once('error', (error) => reject(toConnectionError(error, socketPath)))
    request.end(text)
  })
}

function parseResponse(status: number, text: string): unknown {
  const value = text === '' ? undefined : (JSON.parse(text) as unknown)
  if (status < 400) return value
  const { code, message = `The server returned ${status}`, ...more } = readError(value)
  throw new RemoraError(errorCodes.find((each) => each === code) ?? 'unknown', message, more)
}

function toConnectionError(error: Error, socket: string): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ECONNREFUSED') return error
  return new RemoraError('not_found', 'No server is running', {
    hint: 'Start it: remora serve',
    cause: `${code} ${socket}`,
  })
}

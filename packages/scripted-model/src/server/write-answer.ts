import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Frame } from '../wires/wire.ts'

/**
 * Gets each chunk of a streamed answer as JSON; the chunk is sent when the returned promise is fulfilled.
 *
 * @example const hold: Hold = (piece) => (piece.includes('the end') ? allSeen : undefined)
 */
export type Hold = (piece: string) => Promise<void> | undefined

interface StreamOptions {
  /** One JSON array instead of server-sent events. */
  array: boolean
  /** The number of chunks after which the connection is cut. */
  cutAfter: number | undefined
  delayMs: number
  hold: Hold | undefined
  closing: AbortSignal
}

/** Streams an answer frame by frame; ends at once when the client disconnects or the server closes. */
export async function writeAnswer(
  response: ServerResponse,
  frames: Frame[],
  options: StreamOptions,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const ended = AbortSignal.any([gone.signal, options.closing])
  const type = options.array ? 'application/json' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
  response.flushHeaders()
  let chunks = 0
  for (const [index, frame] of frames.entries()) {
    if (frame.chunk === true && chunks++ === options.cutAfter) return cutConnection(response)
    if (frame.chunk === true && options.delayMs > 0) await wait(options.delayMs, undefined, { signal: ended })
    if (frame.chunk === true) await unlessEnded(options.hold?.(JSON.stringify(frame.data)), ended)
    if (ended.aborted) return
    response.write(options.array ? `${index === 0 ? '[' : ','}${JSON.stringify(frame.data)}` : event(frame))
  }
  if (options.cutAfter !== undefined) return cutConnection(response)
  response.end(options.array ? ']' : undefined)
}

async function unlessEnded(held: Promise<void> | undefined, ended: AbortSignal): Promise<void> {
  if (held === undefined || ended.aborted) return
  await Promise.race([
    held,
    new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true })),
  ])
}

// The written chunks must reach the client first, else the fault would look like a refused connection.
function cutConnection(response: ServerResponse): void {
  response.write('', () => setImmediate(() => response.destroy()))
}

function event({ event: name, data }: Frame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
}

/** Sends nothing until the client disconnects or the server closes. */
export async function waitForClose(response: ServerResponse, closing: AbortSignal): Promise<void> {
  await once(response, 'close', { signal: closing })
}

export function writeJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

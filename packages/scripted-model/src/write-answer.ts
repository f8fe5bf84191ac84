import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Frame } from './wires/wire.ts'

/**
 * Is shown each piece of a streamed answer, as JSON; the piece is sent when what it returns is fulfilled.
 *
 * @example const hold: Hold = (piece) => (piece.includes('the end') ? allSeen : undefined)
 */
export type Hold = (piece: string) => Promise<void> | undefined

interface Manner {
  /** One JSON array instead of server-sent events. */
  array: boolean
  /** After so many chunks the connection is torn. */
  cutAfter: number | undefined
  delayMs: number
  hold: Hold | undefined
  closing: AbortSignal
}

/** Streams an answer frame by frame; a client that leaves, or the end of the server, ends it at once. */
export async function writeAnswer(response: ServerResponse, frames: Frame[], manner: Manner): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const ended = AbortSignal.any([gone.signal, manner.closing])
  const type = manner.array ? 'application/json' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
  response.flushHeaders()
  let chunks = 0
  for (const [index, frame] of frames.entries()) {
    if (frame.chunk === true && chunks++ === manner.cutAfter) return tear(response)
    if (frame.chunk === true && manner.delayMs > 0) await wait(manner.delayMs, undefined, { signal: ended })
    if (frame.chunk === true) await unlessEnded(manner.hold?.(JSON.stringify(frame.data)), ended)
    if (ended.aborted) return
    response.write(manner.array ? `${index === 0 ? '[' : ','}${JSON.stringify(frame.data)}` : event(frame))
  }
  if (manner.cutAfter !== undefined) return tear(response)
  response.end(manner.array ? ']' : undefined)
}

async function unlessEnded(held: Promise<void> | undefined, ended: AbortSignal): Promise<void> {
  if (held === undefined || ended.aborted) return
  await Promise.race([
    held,
    new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true })),
  ])
}

// What was written must reach the client before the connection breaks, else the fault would look like a refusal.
function tear(response: ServerResponse): void {
  response.write('', () => setImmediate(() => response.destroy()))
}

function event({ event: name, data }: Frame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
}

/** Says nothing until the client gives up or the server closes. */
export async function untilGone(response: ServerResponse, closing: AbortSignal): Promise<void> {
  await once(response, 'close', { signal: closing })
}

export function writeJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

import type { ClientMessage, ServerMessage } from '@remora/protocol/plain'
import { WebSocket } from 'ws'

/** More than this is not read from the server before it is wanted. */
const most = 1000

/** The WebSocket at a unix socket as an async iterable: nothing is lost before anybody listens, and nothing piles up. */
export async function openStream(path: string, signal?: AbortSignal) {
  const socket = new WebSocket(`ws+unix://${path}:/api/ws`, { perMessageDeflate: false })
  const waiting: ServerMessage[] = []
  let wake = (): void => {}
  let ended = false
  const end = (): void => {
    ended = true
    signal?.removeEventListener('abort', abort)
    wake()
  }
  const abort = (): void => socket.terminate()
  signal?.addEventListener('abort', abort, { once: true })
  socket.on('message', (data: Buffer) => {
    waiting.push(JSON.parse(data.toString()) as ServerMessage)
    if (waiting.length >= most) socket.pause()
    wake()
  })
  socket.on('close', end)
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.on('error', reject)
    if (signal?.aborted) abort()
  })
  return {
    send: (message: ClientMessage): void => socket.send(JSON.stringify(message)),
    close: (): void => socket.close(),
    async *[Symbol.asyncIterator](): AsyncGenerator<ServerMessage, void, undefined> {
      try {
        for (;;) {
          const message = waiting.shift()
          if (message) {
            yield message
            continue
          }
          if (ended) return
          if (socket.isPaused) socket.resume()
          await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        socket.terminate()
      }
    },
  }
}

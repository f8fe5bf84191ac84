import type { ClientMessage, ServerMessage } from '@remora/protocol/plain'
import { WebSocket } from 'ws'

/** How many messages are buffered before the socket is paused. */
const maxBuffered = 1000

/** Opens the WebSocket as an async iterable with a bounded buffer, which keeps messages until they are read. */
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
    if (waiting.length >= maxBuffered) socket.pause()
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

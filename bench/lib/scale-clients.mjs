// A process with many clients of one server. Each client reads all events with their records.
// Usage: fork(it, [port, JSON of the tokens, number of clients]), then the messages of scale-ages.mjs
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { collectAges } from './scale-ages.mjs'

const [, , port, tokens, count] = process.argv
// Also when the bench is interrupted.
process.once('disconnect', () => process.exit())
const devices = JSON.parse(tokens)
let take = () => {}
await Promise.all(
  Array.from({ length: Number(count) }, (_, index) => subscribe(devices[index % devices.length])),
)
take = collectAges(Number(count))

async function subscribe(token) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  })
  await once(socket, 'open')
  await new Promise((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse(data)
      if (message.type === 'current') resolve()
      else if (message.type === 'events') for (const { event } of message.events) take(event)
    })
    socket.on('close', (code) => {
      throw new Error(`The server closed the socket: ${code}`)
    })
    socket.send(JSON.stringify({ type: 'subscribe', id: 'all', raw: true }))
  })
}

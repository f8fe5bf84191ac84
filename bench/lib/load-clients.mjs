// Clients in their own process. Most follow one session, like the app; some read all events, like `remora watch`.
// Usage: fork(it, [JSON of { port, token, clients, watchers, key }]); sends 'ready', then { done } when all received a text.
import { once } from 'node:events'
import { WebSocket } from 'ws'

const { port, token, clients, watchers, key } = JSON.parse(process.argv[2])
const seen = Array.from({ length: clients }, () => false)
let wanted

for (let index = 0; index < clients; index++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, {
    headers: { authorization: `Bearer ${token[index % token.length]}` },
    perMessageDeflate: false,
  })
  socket.on('error', (error) => process.send({ problem: String(error) }))
  socket.on('close', (code) => process.send({ problem: `closed with ${code}` }))
  socket.on('message', (data) => {
    const message = JSON.parse(data)
    if (message.type !== 'messages') return
    // Later frames may be about earlier messages.
    seen[index] ||= wanted !== undefined && JSON.stringify(message.messages.at(-1) ?? '').includes(wanted)
    if (wanted !== undefined && seen.every(Boolean)) {
      process.send({ done: wanted })
      wanted = undefined
    }
  })
  await once(socket, 'open')
  const id = `follow ${key.agent}/${key.session}`
  socket.send(JSON.stringify({ type: 'follow', id, session: key, last: 60 }))
  if (index < watchers) socket.send(JSON.stringify({ type: 'subscribe', id: 'all' }))
}
process.send('ready')
process.on('message', ({ until }) => (wanted = until))

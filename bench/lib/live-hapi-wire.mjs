// HAPI: events go to the hub over Socket.IO, like those of its command, and reach clients as server-sent events.
import { once } from 'node:events'
import { request } from 'node:http'
import { createRequire } from 'node:module'

export async function open({ port, token, session, peers }) {
  const { io } = createRequire(`${peers}/`)('socket.io-client')
  const socket = io(`http://127.0.0.1:${port}/cli`, {
    auth: { token, clientType: 'session-scoped', sessionId: session },
    path: '/socket.io/',
    transports: ['websocket'],
  })
  await new Promise((resolve, reject) => {
    socket.on('connect', resolve)
    socket.on('connect_error', reject)
  })
  socket.emit('session-alive', { sid: session, time: Date.now(), thinking: true })
  return {
    write(text) {
      socket.emit('message', {
        sid: session,
        message: {
          role: 'agent',
          content: { type: 'codex', data: { type: 'message', message: text } },
          meta: { sentFrom: 'cli' },
        },
      })
    },
    flush() {},
  }
}

export async function subscribe({ port, ticket }, take) {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/api/events?all=true&visibility=visible',
    headers: { authorization: `Bearer ${ticket}`, accept: 'text/event-stream' },
  })
  sent.end()
  const [response] = await once(sent, 'response')
  if (response.statusCode !== 200) throw new Error(`The hub answered with ${response.statusCode}`)
  response.setEncoding('utf8')
  await new Promise((resolve) => {
    let rest = ''
    response.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop()
      for (const part of parts) {
        const data = part.split('\n').find((line) => line.startsWith('data:'))
        if (data === undefined) continue
        const event = JSON.parse(data.slice('data:'.length))
        if (event.type === 'connection-changed') resolve()
        else if (event.type === 'message-received') take(event.message.content?.content?.data?.message ?? '')
      }
    })
  })
  return { stall: () => response.pause(), close: () => response.destroy() }
}

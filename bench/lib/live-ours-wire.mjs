// Ours: the agent's process writes events to the ledger, like an ACP host, and they reach clients through the server's
// WebSocket.
import { once } from 'node:events'
import { join } from 'node:path'
import { ledgerSink } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import { WebSocket } from 'ws'

export async function open({ remoraHome }) {
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  const sink = ledgerSink(ledger)
  const run = process.hrtime.bigint().toString(36)
  let count = 0
  let offset = 0
  return {
    write(text) {
      count += 1
      const event = {
        type: 'text',
        agent: 'gemini',
        session: run,
        entity: `${run}/answer`,
        origin: { channel: 'acp', source: run, key: `${count}.0` },
        at: Date.now(),
        offset,
        text,
        // The ledger also stores the native record.
        raw: {
          jsonrpc: '2.0',
          method: 'session/update',
          params: {
            sessionId: run,
            update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
          },
        },
      }
      offset += text.length
      return sink.write(event)
    },
    flush: () => sink.flush(),
  }
}

/** Reads all new events; a stalled client stops reading. */
export async function subscribe({ port, token }, take) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  })
  await once(socket, 'open')
  await new Promise((resolve, reject) => {
    socket.on('message', (data) => {
      const message = JSON.parse(data)
      if (message.type === 'current') resolve()
      else if (message.type === 'events') for (const { event } of message.events) take(event.text ?? '')
    })
    socket.on('close', (code) => reject(new Error(`The server closed the socket: ${code}`)))
    socket.send(JSON.stringify({ type: 'subscribe', id: 'all' }))
  })
  return { stall: () => socket.pause(), close: () => socket.terminate() }
}

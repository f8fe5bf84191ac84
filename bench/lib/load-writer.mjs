// Writes events of one agent into the ledger, as the host of an ACP session does.
// Usage: fork(it, [JSON of { remoraHome, key }]), then send { events, perMessage, bytes, end }
import { join } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { ledgerSink } from '@remora/intake'
import { openLedger } from '@remora/ledger'

const { remoraHome, key } = JSON.parse(process.argv[2])
const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
const sink = ledgerSink(ledger)
let count = 0
let messages = 0

process.on('message', (burst) => void writeBurst(burst))
process.send('ready')

async function writeBurst({ events, perMessage, bytes, end }) {
  const words = 'The agent reads the file, changes two lines and runs the tests again. '
  const text = words.repeat(Math.ceil(bytes / words.length)).slice(0, bytes)
  let offset = 0
  for (let index = 0; index < events; index++) {
    if (index % perMessage === 0) {
      messages += 1
      offset = 0
      await write({ type: 'message', entity: `m${messages}`, role: 'assistant' })
    }
    const piece = index === events - 1 ? ` ${end}` : text
    await write({ type: 'text', entity: `t${messages}`, message: `m${messages}`, offset, text: piece })
    offset += piece.length
    if (index % 50 === 49) await yieldToOthers()
  }
  await sink.flush()
  process.send('written')
}

function write(event) {
  count += 1
  return sink.write({
    ...key,
    ...event,
    origin: { channel: 'acp', source: 'bench', key: `${count}.0` },
    at: Date.now(),
    raw: { jsonrpc: '2.0', method: 'session/update', params: { sessionId: key.session, update: event } },
  })
}

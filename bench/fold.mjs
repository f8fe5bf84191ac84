// The cost of one event in a session of 10 to 100,000 messages, compared with a session of 10 messages. The session
// has events of hooks and a transcript. The event is text in the last turn, or a late result in a turn in the middle.
// For comparison: folding the whole session at once.
// Usage: node bench/fold.mjs [--smoke]       (needs `npm run build`)
import { loadavg } from 'node:os'
import { SessionFold, fold } from '../packages/protocol/dist/fold/index.js'
import { createEvent, createHistory } from './lib/history.mjs'
import { median } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const lengths = smoke ? [10, 100, 1_000] : [10, 100, 1_000, 10_000, 100_000]
const events = smoke ? 50 : 400
const limit = 3

const rows = []
for (const length of lengths) {
  const history = createHistory(Math.ceil(length / 3))
  const session = new SessionFold()
  session.apply(history)
  const late = Math.floor(length / 6)
  const atEnd = measureEvents(session, (n) => createText(n, Math.ceil(length / 3) - 1))
  const inMiddle = measureEvents(session, (n) => createResult(n, late))
  const began = performance.now()
  fold(history)
  rows.push({ messages: session.messages.length, atEnd, inMiddle, whole: performance.now() - began })
}

console.log(`load of the machine ${loadavg()[0].toFixed(1)}, ${events} events each, median`)
console.log('messages      event at the end       event in the middle    whole session')
for (const { messages, atEnd, inMiddle, whole } of rows)
  console.log(
    `${String(messages).padEnd(14)}${describe(atEnd, rows[0].atEnd)}${describe(inMiddle, rows[0].inMiddle)}${whole.toFixed(1)} ms`,
  )
const worst = Math.max(...rows.map(({ atEnd }) => atEnd / rows[0].atEnd))
console.log(
  `an event at the end costs at most ${worst.toFixed(1)} times as much as with 10 messages (limit ${limit})`,
)
if (!smoke && worst > limit) process.exitCode = 1

function describe(ms, base) {
  return `${(ms * 1000).toFixed(0)} µs (${(ms / base).toFixed(1)})`.padEnd(23)
}

function measureEvents(session, create) {
  const times = []
  for (let n = 0; n < events; n++) {
    const event = create(n)
    const began = performance.now()
    session.apply([event])
    times.push(performance.now() - began)
  }
  return median(times.slice(events / 4))
}

function createText(n, turn) {
  return createEvent('transcripts', turn, 10 + n, {
    type: 'text',
    entity: 'live',
    message: 'live',
    offset: n * 6,
    text: 'words ',
  })
}

function createResult(n, turn) {
  return createEvent('hooks', turn, 1_000 + n, {
    type: 'tool_result',
    entity: `call-${turn}`,
    status: 'error',
    content: `${n}`,
  })
}

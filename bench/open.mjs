// What it costs to open a session of 10 to 100,000 messages at its end: the events that are read, and processor time.
// First without a checkpoint, which reads the whole session and stores one, then with it.
// Usage: node bench/open.mjs [--smoke]       (needs `npm run build`)
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpenSession, openLedger } from '../packages/ledger/dist/index.js'
import { readMessagePage } from '../packages/server/dist/core/messages.js'
import { createHistory } from './lib/history.mjs'
import { median } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const lengths = smoke ? [10, 1_000] : [10, 100, 1_000, 10_000, 100_000]
const runs = smoke ? 3 : 9
/** A session of 1,000 messages is the first with a checkpoint. */
const limit = 3

const folder = mkdtempSync(join(tmpdir(), 'remora-open-'))
const rows = []
try {
  for (const length of lengths) {
    const ledger = await openLedger({ file: join(folder, `${length}.db`) })
    const key = { agent: 'gemini', session: 's' }
    const history = createHistory(Math.ceil(length / 3))
    for (let at = 0; at < history.length; at += 2_000)
      await ledger.append(history.slice(at, at + 2_000).map((event) => ({ events: [event] })))
    const whole = OpenSession.atStart({ ledger, key })
    const first = await measure(() => whole.readAll())
    const saved = whole.isLong ? await measure(() => whole.save(ledger)) : undefined
    const times = []
    const pages = []
    let opened
    for (let run = 0; run < runs; run++) {
      times.push(
        await measure(async () => {
          opened = await OpenSession.atEnd({ ledger, key })
          await opened.readAll()
        }),
      )
      pages.push(await measure(() => readMessagePage(ledger, key, { limit: 50 })))
    }
    const same = JSON.stringify(opened.messages) === JSON.stringify(whole.messages.slice(opened.offset))
    if (!same) throw new Error(`${length} messages: the end differs from the whole session`)
    const events = { whole: whole.events, end: opened.events }
    rows.push({
      messages: whole.messages.length,
      events,
      first,
      saved,
      end: median(times),
      page: median(pages),
    })
    await ledger.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

console.log(`load of the machine ${loadavg()[0].toFixed(1)}, median of ${runs}, processor time`)
console.log(
  'messages   whole session               checkpoint   at its end                  last 50 messages',
)
for (const { messages, events, first, saved, end, page } of rows)
  console.log(
    [
      String(messages).padEnd(11),
      `${events.whole} events, ${first.toFixed(0)} ms`.padEnd(28),
      (saved === undefined ? '' : `${saved.toFixed(0)} ms`).padEnd(13),
      `${events.end} events, ${end.toFixed(1)} ms`.padEnd(28),
      `${page.toFixed(1)} ms`,
    ].join(''),
  )
const base = rows.find(({ messages }) => messages >= 1_000)
const ratio = rows.at(-1).end / base.end
console.log(
  `the longest session costs ${ratio.toFixed(1)} times as much as one of 1,000 messages (limit ${limit})`,
)
if (!smoke && ratio > limit) process.exitCode = 1

async function measure(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

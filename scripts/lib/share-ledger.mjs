// Processes with different SQLite drivers write, index, search and answer in one ledger at the same time.
// Run as a writer: node share-ledger.mjs <file> <name>
import { fileURLToPath } from 'node:url'
import { openLedger } from '@remora/ledger'
import { openSqlite } from '@remora/sqlite'
import { run } from './children.mjs'
import { SetupError } from './setup-error.mjs'

const appends = 200

/** Each writer is `{ name, node, driver }`. Throws unless the ledger has exactly what they wrote. */
export async function shareLedger(file, writers, log) {
  const self = fileURLToPath(import.meta.url)
  const codes = await Promise.all(
    writers.map(({ name, node, driver }) =>
      run(node, [self, file, name], {
        env: { ...process.env, REMORA_SQLITE: driver },
        log: log(name),
      }),
    ),
  )
  for (const [index, code] of codes.entries())
    if (code !== 0)
      throw new SetupError(`${writers[index].name} failed on a shared ledger.`, {
        log: log(writers[index].name),
      })
  await checkLedger(file, writers)
}

async function checkLedger(file, writers) {
  const ledger = await openLedger({ file })
  try {
    const { events } = await ledger.size()
    const expect = (what, actual, expected) => {
      if (actual !== expected) throw new SetupError(`A shared ledger has ${actual} ${what}, not ${expected}.`)
    }
    expect('events', events, writers.length * appends)
    await ledger.indexText()
    for (const { name } of writers)
      expect(`hits of ${name}`, (await ledger.search({ text: toWord(name), limit: 1000 })).length, appends)
    expect('winners', [...(await ledger.marks('winner/')).keys()].length, 1)
    expect('broken audit entries', (await ledger.audit.verify()).broken, undefined)
  } finally {
    await ledger.close()
  }
  const database = openSqlite(file, { readOnly: true })
  const integrity = database.pragma('integrity_check')
  database.close()
  if (integrity !== 'ok') throw new SetupError(`A shared ledger is damaged: ${String(integrity)}`)
}

/** A word that search finds only in the events of this writer. */
function toWord(name) {
  return `writer${name.replaceAll('.', 'x')}`
}

async function write(file, name) {
  const ledger = await openLedger({ file })
  const lease = await ledger.leases.take('winner', { pid: process.pid, host: name }, 60_000)
  if ('term' in lease) await ledger.append([], { marks: { [`winner/${name}`]: true } })
  for (let index = 0; index < appends; index++) {
    await ledger.append([{ events: [createEvent(name, index)] }])
    if (index % 50 === 0) await ledger.indexText()
  }
  await ledger.audit.append({ what: 'test', who: 'person', detail: { name } })
  await ledger.close()
}

function createEvent(name, index) {
  return {
    agent: 'gemini',
    session: `session-${name}`,
    at: Date.UTC(2026, 0, 1) + index,
    entity: `message-${index}`,
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text: `${toWord(name)} ${index}` }],
    origin: { channel: 'headless', source: name, key: String(index) },
  }
}

const [, script, file, name] = process.argv
if (script === fileURLToPath(import.meta.url)) await write(file, name)

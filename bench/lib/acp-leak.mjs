// Finds memory and handles that grow with the prompts of a connection or remain after it is closed.
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const words = [
  'say hello',
  'think then say',
  'chunks 200',
  'tool write',
  'tool-plain read',
  'error 429',
  'big 1',
]

/** Measures before the connection, after the first prompts, after all prompts, and after it is closed. */
export async function findLeaks(open, prompts) {
  // Our own output becomes a handle with the first write.
  for (const stream of [process.stdout, process.stderr]) stream.write('')
  const before = await look()
  const session = await open()
  // The first prompts load and compile code, and fill caches.
  await promptAll(session, 2 * prompts)
  const first = await look()
  await promptAll(session, prompts)
  const last = await look()
  await session.close()
  return { before, first, last, after: await lookUntil(before.handles) }
}

async function promptAll(session, count) {
  for (let i = 0; i < count; i++) await session.prompt(words[i % words.length]).catch(() => {})
}

/** On a busy machine, handles take a moment to close; a leak still exists after three seconds. */
async function lookUntil(handles) {
  const until = Date.now() + 3_000
  for (;;) {
    const now = await look()
    if (now.handles === handles || Date.now() > until) return now
  }
}

/** Measures after a moment in which timers end and streams close. */
async function look(moment = 300) {
  await sleep(moment)
  collectGarbage()
  return { processes: descendants(), handles: handles(), heap: process.memoryUsage().heapUsed }
}

/** The number of handles of each kind that keep the process alive. */
function handles() {
  const counts = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  const list = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  return list.length > 0 ? list.sort().join(', ') : 'none'
}

function descendants() {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name]) => name !== 'ps')
  const found = new Set([String(process.pid)])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const [pid, parent] of table) if (found.has(parent)) found.add(pid)
  }
  return found.size - 1
}

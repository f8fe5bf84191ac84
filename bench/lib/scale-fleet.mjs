// Machines that write into one ledger, and others that read it, in processes of their own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { plainEnv } from './live-server.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const longestMs = 120_000

/**
 * Processes that write, each with a handle of its own, and processes that read, with so many handles in all; or instead of
 * these one process of another kind: its file and its arguments.
 */
export async function startFleet(place, { processes, readers = 1, clients }) {
  const children = []
  const stop = async () => {
    for (const child of children)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await Promise.all(children.map((child) => child.gone))
  }
  const formatPlace = (name) => JSON.stringify(typeof place === 'function' ? place(name) : place)
  try {
    const writing = Array.from({ length: processes }, (_, index) =>
      start(children, './scale-writer.mjs', [formatPlace(`writer-${index}`)]),
    )
    const others = clients
      ? [clients]
      : shares(readers, 2).map((handles) => ['./scale-reader.mjs', formatPlace('reader'), String(handles)])
    const reading = others.map(([file, ...args]) => start(children, file, args))
    return createFleet(await Promise.all(writing), await Promise.all(reading), stop)
  } catch (error) {
    await stop()
    throw error
  }
}

function createFleet(writers, readers, stop) {
  let nodes = 0
  const watched = async (count, work) => {
    for (const reader of readers) {
      reader.send({ count })
      await readReply(reader)
    }
    const read = Promise.all(readers.map((reader) => readReply(reader)))
    const [written, seen] = await within(Promise.all([work(), read]), `${count} events`)
    return { written, seen }
  }
  return {
    stop,
    /** Sets the number of machines. */
    async meet(count, { prefix, beats }) {
      nodes = count
      const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
      const lists = writers.map((_, place) => names.filter((_, index) => index % writers.length === place))
      await watched(count, () =>
        Promise.all(
          writers.map((writer, index) => ask(writer, { work: 'meet', names: lists[index], beats })),
        ),
      )
    },
    /** All of them together at a rate, for a time, and until everything was read. */
    async pace({ perSecond, ms }) {
      // Whole events, the same for all, so that it is known how many to wait for.
      const busy = writers.slice(0, nodes)
      const each = Math.max(1, Math.round((perSecond * ms) / 1000 / busy.length))
      const count = each * busy.length
      const rate = each / (ms / 1000)
      const { written, seen } = await watched(count, () =>
        Promise.all(busy.map((writer) => ask(writer, { work: 'pace', perSecond: rate, ms }))),
      )
      const ages = seen.flatMap((each) => [...each.ages]).sort((a, b) => a - b)
      const took = Math.max(...seen.map((each) => each.ms))
      return {
        offered: count / (ms / 1000),
        // A little is always on its way when the last one is written.
        held: count / (Math.max(ms, took) / 1000),
        events: count,
        p50: quantile(ages, 0.5),
        p99: quantile(ages, 0.99),
        appends: sum(written, 'appends'),
        processor: sum(written, 'processor') / count,
      }
    },
    /** As fast as it goes: appends of so many events, so many at a time in each process. There are no readers. */
    async flood(options) {
      const results = await within(
        Promise.all(writers.map((writer) => ask(writer, { work: 'flood', ...options }))),
        'a flood',
      )
      return {
        rate: results.reduce((total, { events, ms }) => total + (events / ms) * 1000, 0),
        stored: sum(results, 'stored'),
        processor: sum(results, 'processor'),
      }
    },
  }
}

/** The value below which a share of a sorted list is. */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
}

function sum(list, name) {
  return list.reduce((total, each) => total + each[name], 0)
}

/** A number in so many parts at most, none of them empty. */
function shares(count, parts) {
  return Array.from({ length: Math.min(count, parts) }, (_, index) => Math.ceil((count - index) / parts))
}

async function start(children, file, args) {
  const child = fork(at(file), args, { env: plainEnv, execArgv: [], serialization: 'advanced' })
  child.gone = once(child, 'exit')
  // readReply reports the exit. Without a pending read the rejection must not end this process.
  child.gone.catch(() => {})
  children.push(child)
  await readReply(child)
  return child
}

async function ask(child, message) {
  child.send(message)
  return readReply(child)
}

/** The next message of a process. */
async function readReply(child) {
  const [message] = await Promise.race([
    once(child, 'message'),
    child.gone.then(([code, signal]) => {
      throw new Error(`A process of the bench ended with ${code ?? signal}`)
    }),
  ])
  if (message?.failed) throw new Error(message.failed)
  return message
}

async function within(promise, what) {
  const over = new AbortController()
  const late = sleep(longestMs, undefined, { signal: over.signal }).then(
    () => {
      throw new Error(`${what} did not come within two minutes`)
    },
    () => {},
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
  }
}

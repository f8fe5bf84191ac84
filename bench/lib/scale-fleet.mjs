// Processes that write to one ledger as machines, and processes that read it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { plainEnv } from './live-server.mjs'
import { quantile } from './numbers.mjs'
import { within } from './within.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Starts writing processes with one handle each, and reading processes with `readers` handles in total. `clients` (file
 * and arguments of a process) replaces the readers.
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
      : splitCount(readers, 2).map((handles) => [
          './scale-reader.mjs',
          formatPlace('reader'),
          String(handles),
        ])
    const reading = others.map(([file, ...args]) => start(children, file, args))
    return createFleet(await Promise.all(writing), await Promise.all(reading), stop)
  } catch (error) {
    await stop()
    throw error
  }
}

function createFleet(writers, readers, stop) {
  let nodes = 0
  const waitUntilRead = async (count, work) => {
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
    /** Sets the number of simulated machines. */
    async meet(count, { prefix, beats }) {
      nodes = count
      const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
      const lists = writers.map((_, place) => names.filter((_, index) => index % writers.length === place))
      await waitUntilRead(count, () =>
        Promise.all(
          writers.map((writer, index) => ask(writer, { work: 'meet', names: lists[index], beats })),
        ),
      )
    },
    /** Writes at a total rate for `ms`, and waits until every event was read. */
    async pace({ perSecond, ms }) {
      // Every machine writes the same whole number of events, so the expected count is known.
      const busy = writers.slice(0, nodes)
      const each = Math.max(1, Math.round((perSecond * ms) / 1000 / busy.length))
      const count = each * busy.length
      const rate = each / (ms / 1000)
      const { written, seen } = await waitUntilRead(count, () =>
        Promise.all(busy.map((writer) => ask(writer, { work: 'pace', perSecond: rate, ms }))),
      )
      const ages = seen.flatMap((each) => [...each.ages])
      const took = Math.max(...seen.map((each) => each.ms))
      return {
        offered: count / (ms / 1000),
        // When the last event is written, some are still in transit.
        held: count / (Math.max(ms, took) / 1000),
        events: count,
        p50: quantile(ages, 0.5),
        p99: quantile(ages, 0.99),
        appends: sum(written, 'appends'),
        processor: sum(written, 'processor') / count,
      }
    },
    /** Appends as fast as possible, without readers. */
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

function sum(list, name) {
  return list.reduce((total, each) => total + each[name], 0)
}

/** Splits a number into at most `parts` parts that are not zero. */
function splitCount(count, parts) {
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

/** Waits for the next message of a process. */
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

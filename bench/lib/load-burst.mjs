// Requests during a burst of events to many clients, and memory before, during and after it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { call, readMemory, plainEnv } from './live-server.mjs'
import { openServer, waitUntilQuiet } from './load-server.mjs'

const key = { agent: 'gemini', session: 'bench' }
const paths = ['/api/live', '/api/sessions?limit=200&last=true']
const program = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Latencies in milliseconds, memory in MB. */
export async function measureBurst(folder, { events, clients, perMessage, bytes, baseMs, restMs, quietMs }) {
  const server = await openServer(folder, { monitored: true })
  const children = []
  try {
    const tokens = []
    for (let device = 0; device * 8 < clients; device++) tokens.push(await server.pair(`bench ${device}`))
    const writer = await startChild('./load-writer.mjs', { remoraHome: server.remoraHome, key }, children)
    const write = async (count, end) => {
      writer.send({ events: count, perMessage, bytes, end })
      await once(writer, 'message')
    }
    // Two pages, so that the server's code is compiled before the measurement.
    await write(Math.min(events, 400), 'warm')
    const needs = { port: server.port, token: tokens, clients, watchers: Math.ceil(clients / 10), key }
    const reader = await startChild('./load-clients.mjs', needs, children)
    // The monitor itself uses some memory.
    await waitUntilQuiet(server.pid, { forMs: quietMs, percent: 10 })
    const base = await probe(server, sleep(baseMs))
    const before = readMemory(server.pid).now
    const began = performance.now()
    const all = waitForEnd(reader, `end-${events}`)
    const during = await probe(server, Promise.all([write(events, `end-${events}`), all]))
    const ms = performance.now() - began
    const { peak } = readMemory(server.pid)
    // Followed sessions stay in memory, so the clients disconnect first.
    reader.removeAllListeners('message')
    reader.kill()
    await sleep(restMs)
    const after = readMemory(server.pid).now
    return { base, during, ms, memory: { before, peak, after }, turns: server.longTurns() }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await server.stop()
  }
}

async function startChild(name, needs, children) {
  const child = fork(program(name), [JSON.stringify(needs)], { env: plainEnv, execArgv: [] })
  children.push(child)
  const [first] = await once(child, 'message')
  if (first !== 'ready') throw new Error(`${name}: ${first.problem}`)
  return child
}

function waitForEnd(reader, end) {
  reader.send({ until: end })
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('Not all clients received the last event')), 120_000).unref()
    reader.on('message', ({ done, problem }) => {
      if (problem) reject(new Error(problem))
      else if (done === end) resolve()
    })
  })
}

/** The latencies of requests, one after the other, until the promise settles. */
async function probe(server, until) {
  const latencies = []
  const state = { isOver: false }
  const ended = until.finally(() => (state.isOver = true))
  for (let count = 0; !state.isOver || latencies.length < 2; count++) {
    const began = performance.now()
    const { status } = await call({ socketPath: server.socketPath, path: paths[count % paths.length] })
    if (status !== 200) throw new Error(`${paths[count % paths.length]} answered ${status}`)
    latencies.push(performance.now() - began)
    await sleep(10)
  }
  await ended
  return latencies
}

// One round with one system: latency at a fixed rate, then the highest rate, while another client does not read.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMemory, plainEnv } from './live-server.mjs'
import { within } from './within.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Latencies in milliseconds, rates in events per second, memory of the server in MB. The server is new in every round,
 * and warm when it is measured.
 */
export async function measureRound(system, folder, { lengths, paced, perSecond, burst }) {
  const server = await system.start(folder)
  const children = []
  try {
    const { writer: writerNeeds, reader: readerNeeds } = await server.meet()
    const writer = await child('./live-writer.mjs', system.name, writerNeeds, children)
    const reader = await child('./live-reader.mjs', system.name, readerNeeds, children)
    const pass = async (count, length, pace) => {
      reader.send({ count })
      await once(reader, 'message')
      const received = once(reader, 'message')
      writer.send({ count, length, ...(pace ? { perSecond: pace } : {}) })
      const [result] = await within(received, `${count} events of ${system.title}`)
      return result
    }
    await pass(Math.min(burst, 2000), lengths[0])
    await pass(Math.min(paced, 100), lengths[0], perSecond)
    const { subscribe } = await import(`./live-${system.name}-wire.mjs`)
    const idle = readMemory(server.pid).now
    const results = []
    for (const length of lengths) {
      const stalled = await subscribe(readerNeeds, () => {})
      stalled.stall()
      const { ages } = await pass(paced, length, perSecond)
      const before = readMemory(server.pid).now
      const { ms } = await pass(burst, length)
      const after = readMemory(server.pid)
      results.push({ length, ages, rate: (burst / ms) * 1000, grown: after.now - before })
      stalled.close()
      await sleep(200)
    }
    return { results, grown: readMemory(server.pid).peak - idle }
  } finally {
    for (const { pid } of children) process.kill(pid, 'SIGKILL')
    await server.stop()
  }
}

async function child(file, system, needs, children) {
  const started = fork(at(file), [system, JSON.stringify(needs)], {
    env: plainEnv,
    execArgv: [],
    serialization: 'advanced',
  })
  children.push(started)
  await Promise.race([
    once(started, 'message'),
    once(started, 'exit').then(([code]) => {
      throw new Error(`${file} of ${system} ended with ${code}`)
    }),
  ])
  return started
}

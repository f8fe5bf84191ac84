// A server with clients: each client gets every event of every machine.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, findFreePort, readMemory, readProcessorTime, startServer } from './live-server.mjs'
import { formatMs } from './numbers.mjs'
import { startFleet } from './scale-fleet.mjs'

const remora = fileURLToPath(new URL('../../packages/cli/bin/remora.mjs', import.meta.url))
/** Sockets per device, a little below the server's limit. */
const perDevice = 15

export async function measureHub({ cluster, folder }, { clients, perSecond, seconds }) {
  const database = 'hub'
  await cluster.createDatabase(database)
  console.log(
    `\na server with clients: another process writes ${perSecond} events/s for 10 machines, each client gets all of them with their records`,
  )
  const url = cluster.url(database)
  const engines = [
    { title: 'PostgreSQL', env: { REMORA_DATABASE_URL: url }, place: (node) => ({ url, node }) },
    { title: 'SQLite', env: {}, place: { file: join(folder, 'hub-SQLite', 'ledger.db') } },
  ]
  for (const engine of engines) {
    const server = await start(join(folder, `hub-${engine.title}`), engine.env)
    try {
      const tokens = await pair(server, Math.ceil(Math.max(...clients) / perDevice))
      for (const count of clients)
        print(engine, count, await measure(server, engine, { count, tokens, perSecond, seconds }))
    } finally {
      await server.stop()
    }
  }
}

async function start(remoraHome, env) {
  mkdirSync(remoraHome, { recursive: true, mode: 0o700 })
  const port = await findFreePort()
  const server = await startServer({
    command: [process.execPath, remora, 'serve', '--port', String(port)],
    env: { HOME: remoraHome, REMORA_HOME: remoraHome, ...env },
    cwd: remoraHome,
    port,
  })
  // Also when the bench is interrupted.
  const kill = () => process.kill(server.pid)
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    await server.stop()
  }
  const socketPath = join(remoraHome, 'server.sock')
  await server.untilAnswers({ socketPath })
  return { ...server, stop, port, socketPath }
}

async function pair({ port, socketPath }, devices) {
  const tokens = []
  for (let index = 0; index < devices; index++) {
    const { code } = await ask({ socketPath, method: 'POST', path: '/api/pair/code', body: {} })
    const body = { code, name: `client ${index}`, token: true }
    tokens.push((await ask({ port, method: 'POST', path: '/api/pair', body })).token)
  }
  return tokens
}

async function measure(server, engine, { count, tokens, perSecond, seconds }) {
  const clients = ['./scale-clients.mjs', String(server.port), JSON.stringify(tokens), String(count)]
  const fleet = await startFleet(engine.place, { processes: 1, clients })
  try {
    await fleet.meet(10, { prefix: `h${count}`, beats: false })
    const before = readProcessorTime(server.pid)
    const result = await fleet.pace({ perSecond, ms: seconds * 1000 })
    return {
      ...result,
      processor: (readProcessorTime(server.pid) - before) / result.events,
      memory: readMemory(server.pid).now,
    }
  } finally {
    await fleet.stop()
  }
}

function print({ title }, count, { held, p50, p99, processor, memory }) {
  console.log(
    `  ${title.padEnd(12)}${String(count).padStart(5)} clients   held ${held.toFixed(0).padStart(5)}/s   ` +
      `delay p50 ${formatMs(p50)} p99 ${formatMs(p99)}   processor of the server ${processor.toFixed(2)} ms/event   ${memory.toFixed(0)} MB`,
  )
}

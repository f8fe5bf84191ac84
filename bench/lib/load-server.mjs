// `remora serve` in its own home, with paired devices and the event loop monitor.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ask, findFreePort, readProcessorTime, startServer } from './live-server.mjs'

// REMORA_BENCH_CLI selects another build for comparison.
const remora =
  process.env.REMORA_BENCH_CLI ?? fileURLToPath(new URL('../../packages/cli/bin/remora.mjs', import.meta.url))
const monitor = fileURLToPath(new URL('../../testkit/src/loop-monitor.mjs', import.meta.url))

/** @example const server = await openServer(folder, { monitored: true }) */
export async function openServer(folder, { monitored = false } = {}) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const remoraHome = join(folder, 'remora')
  const report = join(folder, 'turns.jsonl')
  const port = await findFreePort()
  const server = await startServer({
    command: [
      process.execPath,
      ...(monitored ? ['--import', monitor] : []),
      remora,
      'serve',
      '--port',
      String(port),
    ],
    env: { HOME: home, REMORA_HOME: remoraHome, ...(monitored ? { REMORA_LOOP_REPORT: report } : {}) },
    cwd: home,
    port,
  })
  const socketPath = join(remoraHome, 'server.sock')
  await server.untilAnswers({ socketPath })
  return {
    ...server,
    port,
    remoraHome,
    socketPath,
    async pair(name) {
      const { code } = await ask({ socketPath, method: 'POST', path: '/api/pair/code', body: {} })
      const body = { code, name, token: true }
      return (await ask({ port, method: 'POST', path: '/api/pair', body })).token
    },
    /** Turns of the event loop that used more than 100 ms of CPU. */
    longTurns: () =>
      (existsSync(report) ? readFileSync(report, 'utf8').trim().split('\n') : [])
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
}

/** Waits until the server uses no more CPU, as after an import. */
export async function waitUntilQuiet(pid, { forMs, percent = 1, withinMs = 180_000 }) {
  const end = performance.now() + withinMs
  for (let before = readProcessorTime(pid); performance.now() < end;) {
    await sleep(forMs)
    const now = readProcessorTime(pid)
    // CPU time is counted in ticks of 10 ms.
    if (now - before < Math.max(20, (forMs * percent) / 100)) return
    before = now
  }
  throw new Error('The server did not become idle')
}

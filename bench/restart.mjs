// The time a killed server needs to answer again with live terminal sessions: from the start of its process to the first
// answer of /api/live, and until it has reattached to every session. The baseline, in alternating rounds, is a Node
// process that listens and answers one request.
// Usage: node bench/restart.mjs [--smoke] [--sessions 20] [--rounds 20]       (needs `npm run build` and tmux)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endAll } from '../scripts/faults/live/processes.mjs'
import { call, plainEnv } from './lib/live-server.mjs'
import { formatLoad, formatMs, median, quantile } from './lib/numbers.mjs'

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    sessions: { type: 'string' },
    rounds: { type: 'string' },
  },
})
const { smoke } = values
const sessions = Number(values.sessions ?? (smoke ? 2 : 20))
const rounds = Number(values.rounds ?? (smoke ? 1 : 20))
const limitMs = 1_500

const remora = fileURLToPath(new URL('../packages/cli/bin/remora.mjs', import.meta.url))
const agent = fileURLToPath(new URL('../packages/server/src/live/fake-gemini.test-data.mjs', import.meta.url))
const bareServer = `require('node:http').createServer((_, response) => response.end('{}')).listen(process.argv[1])`

// Short, because the path of a socket is limited.
const folder = mkdtempSync('/tmp/rb-')
const home = join(folder, 'h')
const remoraHome = join(folder, 'r')
mkdirSync(home)
const env = {
  ...plainEnv,
  HOME: home,
  REMORA_HOME: remoraHome,
  TERM: 'xterm-256color',
  TMUX_TMPDIR: folder,
  GEMINI_CLI_PATH: agent,
}
const serve = [remora, 'serve', '--port', '0']
const socketPath = join(remoraHome, 'server.sock')

try {
  console.log(`load of the machine           ${formatLoad()}`)
  let server = start(serve)
  await waitForLive(socketPath, () => true)
  for (let number = 0; number < sessions; number++) await startSession(number)
  await waitForLive(socketPath, (live) => live.every(({ state }) => state === 'idle'))
  const times = { bare: [], first: [], all: [] }
  for (let round = 0; round < rounds; round++) {
    times.bare.push(await measureBare(round))
    await kill(server)
    const began = performance.now()
    server = start(serve)
    await waitForLive(socketPath, (live) => live.length === sessions)
    times.first.push(performance.now() - began)
    await waitForLive(socketPath, (live) => live.every(({ restoring }) => !restoring))
    times.all.push(performance.now() - began)
  }
  await kill(server)
  report(times)
  console.log(`load of the machine           ${formatLoad()}`)
} finally {
  endAll(home, join(remoraHome, 'tmux.sock'))
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

function report({ bare, first, all }) {
  console.log(`kill -9 and start again with ${sessions} live sessions, ${rounds} alternating rounds`)
  const rows = {
    'bare node, listen and answer': bare,
    'first answer of /api/live': first,
    'every session restored': all,
  }
  for (const [title, list] of Object.entries(rows)) {
    const ratio = (median(list) / median(bare)).toFixed(1)
    console.log(
      `  ${title.padEnd(30)} p50 ${formatMs(quantile(list, 0.5))}   p99 ${formatMs(quantile(list, 0.99))}   ${ratio} times the bare one`,
    )
  }
  const p50 = quantile(first, 0.5)
  const isHeld = p50 <= limitMs
  console.log(
    `  ${'p50 of the first answer'.padEnd(30)} ${formatMs(p50)}   at most ${limitMs} ms: ${isHeld ? 'held' : 'MISSED'}`,
  )
  if (!isHeld && !smoke) process.exitCode = 1
}

async function startSession(number) {
  const cwd = join(home, `work-${number}`)
  mkdirSync(cwd)
  const { status, text } = await call({
    socketPath,
    method: 'POST',
    path: '/api/live',
    headers: { host: 'localhost' },
    body: { agent: 'gemini', cwd, channel: 'terminal' },
  })
  if (status !== 200) throw new Error(`Session ${number} did not start: ${text}`)
}

function start(words) {
  return spawn(process.execPath, words, { env, cwd: home, stdio: 'ignore' })
}

async function kill(child) {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function measureBare(round) {
  const path = join(folder, `bare-${round}.sock`)
  const began = performance.now()
  const child = start(['-e', bareServer, path])
  while (!(await call({ socketPath: path, path: '/' }).catch(() => undefined))) await sleep(5)
  const ms = performance.now() - began
  await kill(child)
  return ms
}

async function waitForLive(socket, isReached) {
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(5)) {
    const answer = await call({
      socketPath: socket,
      path: '/api/live',
      headers: { host: 'localhost' },
    }).catch(() => undefined)
    if (answer?.status === 200 && isReached(JSON.parse(answer.text).live)) return
  }
  throw new Error('The server was not ready within two minutes')
}

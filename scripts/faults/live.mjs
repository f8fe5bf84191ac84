import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLedger } from '@remora/ledger'
import { createRandom } from '../../bench/lib/corpus.mjs'
import { quantile } from '../../bench/lib/numbers.mjs'
import { createFaults } from './live/faults.mjs'
import { Load } from './live/load.mjs'
import { endAll } from './live/processes.mjs'
import { answerPending, runFaults, shutDown, waitUntilIdle } from './live/run.mjs'
import { RunningServer } from './live/running-server.mjs'
import { createSmallDisk } from './live/disk.mjs'
import { verify } from './live/verify.mjs'
import { answerRandomly, Watcher } from './live/watcher.mjs'

const agent = fileURLToPath(new URL('live/agent.mjs', import.meta.url))

/**
 * Injects faults under load: kills the server and agent hosts, cuts sockets and transcripts, stalls clients, fills the
 * disk. At the end everything must be in the ledger once, and every client must have it.
 */
export async function breakLive({ points, seed, terminals, only }) {
  // Short, because the path of a socket has a limit.
  const folder = mkdtempSync('/tmp/rf-')
  const remoraHome = join(folder, 'r')
  const home = join(folder, 'h')
  mkdirSync(home)
  const disk = createSmallDisk(remoraHome)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: folder,
    FAKE_LOG: join(home, 'noted.jsonl'),
    FAULTS_RECORD: join(home, 'received.jsonl'),
    GEMINI_CLI_PATH: agent,
    REMORA_LOOP_REPORT: join(home, 'turns.jsonl'),
  }
  // Measure restarts of the bundled command that users run.
  const bundled = only !== undefined
  const stage = { folder, remoraHome, home, homes: [home], env, disk, watchers: [], bundled }
  let ledger
  try {
    const server = new RunningServer(stage)
    stage.server = server
    await server.start()
    ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
    stage.ledger = ledger
    await openWatchers(stage, createRandom(seed + 1))
    const load = new Load(stage, createRandom(seed + 2), terminals)
    await load.begin()
    const stop = new AbortController()
    const answering = answerPending(ledger, stop.signal)
    const random = createRandom(seed)
    const counts = await runFaults({ faults: createFaults({ stage, load, random, only }), points, random })
    console.log(`${JSON.stringify(counts)}, with ${disk.way}`)
    await load.end()
    const unfinished = await waitUntilIdle(ledger, stage.watchers, [remoraHome])
    if (unfinished.length > 0) console.error(await describeSessions(stage))
    stop.abort()
    await answering
    const problems = await verify({ ledger, stage, loads: [load] })
    problems.push(...describeRestarts(server), ...describeRefusals(load))
    problems.push(...unfinished, ...(await shutDown(stage)), ...findLongTurns(env.REMORA_LOOP_REPORT))
    if (problems.length > 0) console.error(server.readLogEnd())
    return problems.slice(0, 40)
  } finally {
    for (const watcher of stage.watchers) await watcher.close()
    await ledger?.close()
    endAll(home, join(remoraHome, 'tmux.sock'))
    disk.remove()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

function describeRestarts({ answerTimes, bareTimes }) {
  if (answerTimes.length === 0) return []
  const getQuantile = (share, times = answerTimes) => Math.round(quantile(times, share))
  const load = loadavg()[0].toFixed(1)
  console.log(
    `${answerTimes.length} restarts to the first answer of /api/live: p50 ${getQuantile(0.5)} ms, p99 ${getQuantile(0.99)} ms, load ${load}`,
  )
  if (bareTimes.length > 0)
    console.log(
      `node -e 0 in the same run: p50 ${getQuantile(0.5, bareTimes)} ms, p99 ${getQuantile(0.99, bareTimes)} ms`,
    )
  return []
}

/** A prompt for a live session must be accepted, also by a server that has just started. */
function describeRefusals({ posted, refusals }) {
  console.log(`${posted} prompts by HTTP, ${refusals.length} false refusals`)
  return refusals.map((refusal) => `refused although its session is alive: ${refusal}`)
}

/** Opens two clients of paired devices and two on the unix socket. */
async function openWatchers(stage, random) {
  const { server } = stage
  const connections = []
  for (const name of ['Ann', 'Ben']) {
    const { code } = await server.ask('POST', '/api/pair/code', {})
    const response = await fetch(`http://127.0.0.1:${server.port}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name, token: true }),
    })
    const { token } = await response.json()
    const headers = { authorization: `Bearer ${token}` }
    connections.push(() => ({ url: `ws://127.0.0.1:${server.port}/api/ws`, headers }))
  }
  const unix = () => ({ url: `ws+unix://${join(stage.remoraHome, 'server.sock')}:/api/ws`, headers: {} })
  connections.push(unix, unix)
  const onAsk = answerRandomly(random, 'answer')
  stage.watchers.push(...connections.map((open, index) => new Watcher(`client ${index}`, { open, onAsk })))
}

/** The state and screen of every session, for debugging. */
async function describeSessions({ server, remoraHome }) {
  const { live = [] } = await server.ask('GET', '/api/live')
  return live
    .map((info) => `${JSON.stringify(info)}\n${readScreen(remoraHome, `remora-${info.id}`)}`)
    .join('\n')
}

function readScreen(remoraHome, name) {
  try {
    const args = ['-S', join(remoraHome, 'tmux.sock'), 'capture-pane', '-p', '-t', name]
    const rows = execFileSync('tmux', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return rows.trimEnd().split('\n').slice(-12).join('\n')
  } catch {
    return ''
  }
}

/** Turns of the server's event loop that used more than 100 ms of CPU. */
function findLongTurns(report) {
  if (!existsSync(report)) return []
  const turns = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return turns.map(({ cpuMs }) => `A turn of the event loop used ${cpuMs} ms of CPU`)
}

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openLedger } from '@remora/ledger'
import { createRandom } from '../../bench/lib/corpus.mjs'
import { quantile } from '../../bench/lib/quantile.mjs'
import { createFaults } from './live/faults.mjs'
import { Load } from './live/load.mjs'
import { look } from './live/look.mjs'
import { endAll, listProcesses } from './live/processes.mjs'
import { answerAll, breakAll, rest } from './live/run.mjs'
import { RunningServer } from './live/running-server.mjs'
import { smallDisk } from './live/disk.mjs'
import { Watcher } from './live/watcher.mjs'

const agent = fileURLToPath(new URL('live/agent.mjs', import.meta.url))

/**
 * Breaks things under load: the server is killed, sockets are cut, clients read nothing, the disk is full, transcripts
 * are cut, hosts of agents are killed. In the end everything must be in the ledger once, and everybody must know it.
 */
export async function breakLive({ points, seed, terminals, only }) {
  // Short, since the path of a socket has its limits.
  const folder = mkdtempSync('/tmp/rf-')
  const remoraHome = join(folder, 'r')
  const home = join(folder, 'h')
  mkdirSync(home)
  const disk = smallDisk(remoraHome)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: folder,
    FAKE_LOG: join(home, 'noted.jsonl'),
    FAULTS_HEARD: join(home, 'heard.jsonl'),
    GEMINI_CLI_PATH: agent,
    REMORA_LOOP_REPORT: join(home, 'turns.jsonl'),
  }
  // Restarts are measured with the command that users run.
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
    const sweeping = answerAll(ledger, stop.signal)
    const random = createRandom(seed)
    const counts = await breakAll({ faults: createFaults({ stage, load, random, only }), points, random })
    console.log(`${JSON.stringify(counts)}, with ${disk.way}`)
    await load.end()
    const restless = await rest(ledger, stage.watchers, [remoraHome])
    if (restless.length > 0) console.error(await standing(stage))
    stop.abort()
    await sweeping
    const problems = await look({ ledger, stage, loads: [load] })
    problems.push(...describeRestarts(server), ...describeRefusals(load))
    problems.push(...restless, ...(await leave(stage)), ...findLongTurns(env.REMORA_LOOP_REPORT))
    if (problems.length > 0) console.error(lastWords(home))
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
  const of = (share, times = answerTimes) => Math.round(quantile(times, share))
  const load = loadavg()[0].toFixed(1)
  console.log(
    `${answerTimes.length} restarts to the first answer of /api/live: p50 ${of(0.5)} ms, p99 ${of(0.99)} ms, load ${load}`,
  )
  if (bareTimes.length > 0)
    console.log(`node -e 0 in the same run: p50 ${of(0.5, bareTimes)} ms, p99 ${of(0.99, bareTimes)} ms`)
  return []
}

/** A prompt for a session that is alive must be accepted, also by a server that has just started. */
function describeRefusals({ posted, refusals }) {
  console.log(`${posted} prompts by HTTP, ${refusals.length} false refusals`)
  return refusals.map((refusal) => `refused although its session is alive: ${refusal}`)
}

/** Two phones that are paired, and two programs of the user. */
async function openWatchers(stage, random) {
  const { server } = stage
  const doors = []
  for (const name of ['Ann', 'Ben']) {
    const { code } = await server.ask('POST', '/api/pair/code', {})
    const response = await fetch(`http://127.0.0.1:${server.port}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name, token: true }),
    })
    const { token } = await response.json()
    const headers = { authorization: `Bearer ${token}` }
    doors.push(() => ({ url: `ws://127.0.0.1:${server.port}/api/ws`, headers }))
  }
  const unix = () => ({ url: `ws+unix://${join(stage.remoraHome, 'server.sock')}:/api/ws`, headers: {} })
  doors.push(unix, unix)
  let count = 0
  const onAsk = (watcher, { agent, session, ask }) => {
    if (random() < 0.4) return
    const option = ask.options[Math.floor(random() * Math.min(3, ask.options.length))].id
    const body = { kind: 'answer', ask: ask.id, digest: ask.digest, option }
    setTimeout(() => watcher.command(`answer-${++count}`, { agent, session }, body), random() * 300)
  }
  stage.watchers.push(...doors.map((open, index) => new Watcher(`client ${index}`, { open, onAsk })))
}

/** Where every session stands, for those who look for what went wrong. */
async function standing({ server, remoraHome }) {
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

/** Ends the agents and the server; nothing may stay. */
async function leave({ server, home }) {
  const problems = []
  const { live = [] } = await server.ask('GET', '/api/live')
  for (const { id, state } of live) if (state !== 'ended') await server.ask('POST', `/api/live/${id}/end`, {})
  for (let wait = 0; wait < 240; wait++) {
    const { live: left = [] } = await server.ask('GET', '/api/live')
    if (left.every(({ state }) => state === 'ended')) break
    await sleep(250)
  }
  const code = await server.stop()
  if (code !== 0) problems.push(`The server ended with ${code}`)
  for (let wait = 0; wait < 120 && listProcesses(home).length > 0; wait++) await sleep(250)
  for (const { pid, words } of listProcesses(home)) problems.push(`still runs: ${pid} ${words}`)
  return problems
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

function lastWords(home) {
  try {
    return readFileSync(join(home, 'server.log'), 'utf8').split('\n').slice(-15).join('\n')
  } catch {
    return ''
  }
}

// Reading, importing and searching a year of sessions, against ccusage, plain JSON.parse and bare FTS5.
// REMORA_SQLITE=node or REMORA_SQLITE=better selects the SQLite driver.
// Usage: node bench/transcripts.mjs [--smoke]       (needs `npm run build`, and the pinned CLIs of `npm test`)
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { claudeCorpus, geminiCorpus } from './lib/corpus.mjs'
import { median } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const rounds = smoke ? 1 : 5
const files = smoke ? 8 : 500
const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const ccusage = path('../testkit/clis/node_modules/ccusage/src/cli.js')
const remora = path('../packages/cli/bin/remora.mjs')
const folder = mkdtempSync(join(tmpdir(), 'remora-bench-'))
const limits = []

try {
  for (const [agent, writeCorpus] of Object.entries({
    claude: claudeCorpus,
    gemini: geminiCorpus,
  })) {
    const home = join(folder, agent)
    const size = writeCorpus(home, { files })
    console.log(`\n${agent}: ${size.files} files, ${Math.round(size.bytes / 1e6)} MB, ${size.lines} lines`)
    measure(agent, home)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const missed = limits.filter(({ held }) => !held)
if (smoke) console.log('\nA smoke run: the writeCorpus is too small for conclusions.')
else
  console.log(
    missed.length === 0 ? '\nAll limits held.' : `\nMissed: ${missed.map(({ what }) => what).join('; ')}`,
  )
if (!smoke && missed.length > 0) process.exitCode = 1

function measure(agent, home) {
  const state = join(folder, `${agent}-remora`)
  const { PATH, REMORA_SQLITE = '' } = process.env
  const env = { PATH, HOME: home, REMORA_HOME: state, REMORA_SQLITE }
  const step = (name, extra = []) =>
    node([path('lib/transcript-steps.mjs'), name, agent, home, state, ...extra], env)
  const times = {}
  const record = (name, value) => (times[name] ??= []).push(value)
  let peak = 0
  let totals
  for (let round = 0; round < rounds; round++) {
    if (existsSync(ccusage)) {
      const peer = node([ccusage, agent, '--offline', '--json'], env)
      record('ccusage', peer.ms)
      totals = JSON.parse(peer.text).totals
    }
    const scan = step('scan')
    record('cold scan', scan.ms)
    record('cold scan inside', scan.result.cold)
    record('rescan inside', scan.result.again)
    if (totals) checkTokens(totals, scan.result.usage)
    record('plain parse', step('parse').result.ms)
    rmSync(state, { recursive: true, force: true })
    const imported = step('import')
    record('import', imported.result.ms)
    peak = Math.max(peak, imported.result.peak)
  }
  record('bare fts', step('bare-fts').result.ms)
  const index = step('index')
  record('full text', index.result.ms)
  peak = Math.max(peak, index.result.peak)
  for (let round = 0; round < rounds; round++)
    record('remora usage', node([remora, 'usage', '--json'], env).ms)
  const found = step('search').result
  const watched = step('watch').result
  const ms = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
  for (const [name, value] of Object.entries(ms))
    console.log(`  ${name.padEnd(18)} ${value.toFixed(0).padStart(7)} ms`)
  const checkLimit = (what, value, held) => {
    console.log(`  ${smoke ? '' : held ? 'held   ' : 'MISSED '}${what}: ${value}`)
    limits.push({ what: `${agent}: ${what}`, held })
  }
  const ratio = (a, b) => ms[a] / ms[b]
  if (totals) {
    checkLimit(
      'cold scan (the call, without the start of Node) over ccusage, at most 1.5',
      ratio('cold scan inside', 'ccusage').toFixed(2),
      ratio('cold scan inside', 'ccusage') <= 1.5,
    )
    checkLimit(
      'ccusage over warm `remora usage`, at least 3',
      ratio('ccusage', 'remora usage').toFixed(2),
      ratio('ccusage', 'remora usage') >= 3,
    )
  }
  const rescan = ratio('cold scan inside', 'rescan inside')
  checkLimit('cold scan over rescan, at least 20', rescan.toFixed(1), rescan >= 20)
  const plain = ratio('import', 'plain parse')
  checkLimit('import over plain JSON.parse, at most 6', plain.toFixed(2), plain <= 6)
  const text = ratio('full text', 'bare fts')
  checkLimit('full text over bare FTS5, at most 2', text.toFixed(2), text <= 2)
  checkLimit('search p95, under 20 ms', `${found.p95.toFixed(1)} ms`, found.p95 < 20)
  checkLimit('peak memory, under 200 MB', `${Math.round(peak / 1e6)} MB`, peak < 200e6)
  checkLimit('append to watcher p95, under 50 ms', `${watched.p95.toFixed(1)} ms`, watched.p95 < 50)
}

/** Checks that both count the same tokens. */
function checkTokens(peer, usage) {
  const theirs = [
    peer.inputTokens + (peer.cacheReadTokens ?? 0) + (peer.cacheCreationTokens ?? 0),
    peer.outputTokens,
  ]
  const ours = [usage.inputTokens, usage.outputTokens]
  if (theirs.join() !== ours.join())
    throw new Error(`Tokens differ: ccusage ${theirs.join()}, ours ${ours.join()}`)
}

function node(args, env) {
  const began = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ms = performance.now() - began
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return {
    ms,
    text: stdout,
    get result() {
      return JSON.parse(stdout)
    },
  }
}

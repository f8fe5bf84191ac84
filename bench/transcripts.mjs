// Reading, importing and searching a year of sessions, against ccusage, plain JSON.parse and bare FTS5.
// REMORA_SQLITE=node or REMORA_SQLITE=better chooses the driver of SQLite.
// Usage: node bench/transcripts.mjs [--smoke]       (needs `npm run build`, and the pinned CLIs of `npm test`)
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { claudeCorpus, geminiCorpus } from './lib/corpus.mjs'
import { median } from './lib/median.mjs'

const smoke = process.argv.includes('--smoke')
const rounds = smoke ? 1 : 5
const files = smoke ? 8 : 500
const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const ccusage = path('../testkit/clis/node_modules/ccusage/src/cli.js')
const remora = path('../packages/cli/bin/remora.mjs')
const folder = mkdtempSync(join(tmpdir(), 'remora-bench-'))
const limits = []

try {
  for (const [agent, corpus] of Object.entries({ claude: claudeCorpus, gemini: geminiCorpus })) {
    const home = join(folder, agent)
    const size = corpus(home, { files })
    console.log(`\n${agent}: ${size.files} files, ${Math.round(size.bytes / 1e6)} MB, ${size.lines} lines`)
    measure(agent, home)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const missed = limits.filter(({ held }) => !held)
if (smoke) console.log('\nA smoke run: the corpus is too small to judge by.')
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
  const note = (name, value) => (times[name] ??= []).push(value)
  let peak = 0
  let totals
  for (let round = 0; round < rounds; round++) {
    if (existsSync(ccusage)) {
      const peer = node([ccusage, agent, '--offline', '--json'], env)
      note('ccusage', peer.ms)
      totals = JSON.parse(peer.text).totals
    }
    const scan = step('scan')
    note('cold scan', scan.ms)
    note('cold scan inside', scan.told.cold)
    note('rescan inside', scan.told.again)
    if (totals) equal(totals, scan.told.usage)
    note('plain parse', step('parse').told.ms)
    rmSync(state, { recursive: true, force: true })
    const imported = step('import')
    note('import', imported.told.ms)
    peak = Math.max(peak, imported.told.peak)
  }
  note('bare fts', step('bare-fts').told.ms)
  const index = step('index')
  note('full text', index.told.ms)
  peak = Math.max(peak, index.told.peak)
  for (let round = 0; round < rounds; round++) note('remora usage', node([remora, 'usage', '--json'], env).ms)
  const found = step('search').told
  const watched = step('watch').told
  const ms = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
  for (const [name, value] of Object.entries(ms))
    console.log(`  ${name.padEnd(18)} ${value.toFixed(0).padStart(7)} ms`)
  const limit = (what, value, held) => {
    console.log(`  ${smoke ? '' : held ? 'held   ' : 'MISSED '}${what}: ${value}`)
    limits.push({ what: `${agent}: ${what}`, held })
  }
  const ratio = (a, b) => ms[a] / ms[b]
  if (totals) {
    limit(
      'cold scan (the call, without the start of Node) over ccusage, at most 1.5',
      ratio('cold scan inside', 'ccusage').toFixed(2),
      ratio('cold scan inside', 'ccusage') <= 1.5,
    )
    limit(
      'ccusage over warm `remora usage`, at least 3',
      ratio('ccusage', 'remora usage').toFixed(2),
      ratio('ccusage', 'remora usage') >= 3,
    )
  }
  const rescan = ratio('cold scan inside', 'rescan inside')
  limit('cold scan over rescan, at least 20', rescan.toFixed(1), rescan >= 20)
  const plain = ratio('import', 'plain parse')
  limit('import over plain JSON.parse, at most 6', plain.toFixed(2), plain <= 6)
  const text = ratio('full text', 'bare fts')
  limit('full text over bare FTS5, at most 2', text.toFixed(2), text <= 2)
  limit('search p95, under 20 ms', `${found.p95.toFixed(1)} ms`, found.p95 < 20)
  limit('peak memory, under 200 MB', `${Math.round(peak / 1e6)} MB`, peak < 200e6)
  limit('append to watcher p95, under 50 ms', `${watched.p95.toFixed(1)} ms`, watched.p95 < 50)
}

/** Both count the same tokens. */
function equal(peer, usage) {
  const told = [
    peer.inputTokens + (peer.cacheReadTokens ?? 0) + (peer.cacheCreationTokens ?? 0),
    peer.outputTokens,
  ]
  const ours = [usage.inputTokens, usage.outputTokens]
  if (told.join() !== ours.join())
    throw new Error(`Tokens differ: ccusage ${told.join()}, ours ${ours.join()}`)
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
    get told() {
      return JSON.parse(stdout)
    },
  }
}

// `remora --help`, the help of a verb and `remora doctor --json` against `node -e 0`: the median of alternating runs.
// Usage: node bench/cli-help.mjs [--smoke]       (needs `npm run build`)
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './lib/numbers.mjs'

const rounds = process.argv.includes('--smoke') ? 1 : 15
const remora = fileURLToPath(new URL('../packages/cli/bin/remora.mjs', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'remora-bench-'))
const commands = {
  'node -e 0': ['-e', '0'],
  'remora --help': [remora, '--help'],
  'remora run --help': [remora, 'run', '--help'],
  'remora doctor --help': [remora, 'doctor', '--help'],
  'remora doctor --json': [remora, 'doctor', '--json'],
}

try {
  const times = measure(rounds)
  const bare = times['node -e 0']
  for (const [name, time] of Object.entries(times)) {
    const over = `+${(time - bare).toFixed(0)} ms, ${(time / bare).toFixed(2)} times`
    console.log(`${name.padEnd(22)} ${time.toFixed(0).padStart(5)} ms   ${over}`)
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Alternating runs, so that other load on the machine slows all alike. The first round only warms the disk cache. */
function measure(runs) {
  const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round <= runs; round += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const time = readTime(name, args)
      if (round > 0) samples[name].push(time)
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, median(list)]))
}

function readTime(name, args) {
  const started = performance.now()
  const env = { PATH: '', HOME: home, REMORA_HOME: join(home, '.remora') }
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
  return performance.now() - started
}

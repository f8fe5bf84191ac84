// `run` against a plain reader of the same child process, and memory with a slow reader.
// Usage: node bench/headless.mjs [--smoke]       (needs `npm run build`)
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { run } from '@remora/sdk'
import { median } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const lines = smoke ? 5_000 : 200_000
const rounds = smoke ? 1 : 5

// A child process that writes 200,000 lines of stream-json (150 MB) as fast as the pipe accepts them.
const child = `
const line = (text) => JSON.stringify({ type: 'message', timestamp: '2026-01-01T00:00:00.000Z', role: 'assistant', content: text, delta: true }) + '\\n'
const block = Array.from({ length: 100 }, (_, i) => line(String(i).padEnd(650, ' lorem ipsum'))).join('')
const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve))
await write(JSON.stringify({ type: 'init', timestamp: '2026-01-01T00:00:00.000Z', session_id: 'bench', model: 'auto' }) + '\\n')
for (let i = 0; i < ${lines} / 100; i++) await write(block)
await write(JSON.stringify({ type: 'result', status: 'success', stats: { total_tokens: 1 } }) + '\\n')
`

const folder = await mkdtemp(join(tmpdir(), 'remora-bench-'))
const cli = join(folder, 'gemini.mjs')
await writeFile(cli, child)
await writeFile(
  join(folder, 'package.json'),
  JSON.stringify({ name: '@google/gemini-cli', version: '0.61.0' }),
)
const env = { GEMINI_CLI_PATH: cli, HOME: folder }

/** The baseline: the same child with a plain reader. */
async function plain() {
  const process_ = spawn(process.execPath, [cli], { stdio: ['ignore', 'pipe', 'ignore'] })
  let rest = ''
  let count = 0
  process_.stdout.setEncoding('utf8')
  for await (const chunk of process_.stdout) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()
    for (const part of parts) if (JSON.parse(part).type === 'message') count++
  }
  return count
}

async function throughRun() {
  let count = 0
  for await (const event of run('gemini', { prompt: 'go', cwd: folder, env }))
    if (event.type === 'text') count++
  return count
}

async function timed(work) {
  const began = performance.now()
  const count = await work()
  if (count !== lines) throw new Error(`${work.name} saw ${count} of ${lines} lines`)
  return performance.now() - began
}

/** The rise of memory while a slow reader consumes the events. */
async function slowReader() {
  globalThis.gc?.()
  const start = process.memoryUsage().rss
  let peak = start
  let count = 0
  for await (const event of run('gemini', { prompt: 'go', cwd: folder, env })) {
    if (event.type !== 'text') continue
    if (++count % 200 === 0) {
      await setImmediate()
      await new Promise((resolve) => setTimeout(resolve, 2))
      peak = Math.max(peak, process.memoryUsage().rss)
    }
  }
  return (peak - start) / 1024 / 1024
}

try {
  await timed(plain)
  await timed(throughRun)
  const baseline = []
  const ours = []
  for (let round = 0; round < rounds; round++) {
    baseline.push(await timed(plain))
    ours.push(await timed(throughRun))
  }
  const grown = await slowReader()
  const ratio = median(ours) / median(baseline)
  console.log(`${lines} lines of stream-json, median of ${rounds} alternating runs`)
  console.log(`plain reader (for await, split, JSON.parse)  ${median(baseline).toFixed(0)} ms`)
  console.log(`run()                                        ${median(ours).toFixed(0)} ms`)
  console.log(`ratio                                        ${ratio.toFixed(2)}  (at most 1.5)`)
  console.log(`memory above start with a slow reader        ${grown.toFixed(0)} MB  (under 100)`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

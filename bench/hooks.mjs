// The cost of a hook per tool call: ours against an empty script, Node, a hook in Node that writes a file, and curl to a
// server. Each is started like a CLI does it, by `bash -c` with the payload on standard input: medians of alternating
// runs. Then the pave hook, which corrects calls, against a Node process that does nothing.
// Usage: node bench/hooks.mjs [--smoke]       (needs `npm run build`)
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createHookScript, scanSpool, createSpool } from '@remora/sdk/hooks'
import { median } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
// Without NODE_EXTRA_CA_CERTS and the like: they slow down Node three times, and our hook would look better than it is.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')))
const rounds = smoke ? 2 : 60
const limits = { ours: 2.2, cheaper: 8, pave: 1.3 }
const home = mkdtempSync(join(tmpdir(), 'remora-bench-'))
const payload = JSON.stringify({
  session_id: '00000001-0000-4000-8000-000000000000',
  transcript_path: '/home/me/.gemini/tmp/work/chats/session-2026-01-01T00-00-00000001.jsonl',
  cwd: '/home/me/work',
  hook_event_name: 'BeforeTool',
  timestamp: '2026-01-01T00:00:00.000Z',
  tool_name: 'run_shell_command',
  tool_input: { command: 'pip install x', description: 'x'.repeat(2000) },
})

const names = { empty: 'empty sh script', ours: 'remora-hook', node: 'node -e 0', pave: 'remora-pave' }
const server = onPath('curl') ? await startServer() : undefined
try {
  const commands = {
    [names.empty]: script('empty', '#!/bin/sh\n'),
    [names.ours]: `${remoraHook()} gemini`,
    [names.node]: `${quoted(process.execPath)} -e 0`,
    'node, writes a file': nodeHook(),
    ...(server ? { 'curl to a server': curlHook() } : {}),
    ...paveHook(),
  }
  report(measure(commands))
} finally {
  await server?.terminate()
  rmSync(home, { recursive: true, force: true })
}

function report(times) {
  const bare = times[names.empty]
  for (const [name, time] of Object.entries(times))
    console.log(
      `${name.padEnd(22)} ${time.toFixed(2).padStart(7)} ms   ${(time / bare).toFixed(2)} times empty`,
    )
  check(names.ours, names.empty, times, (ratio) => ratio <= limits.ours, `at most ${limits.ours}`)
  check(names.node, names.ours, times, (ratio) => ratio >= limits.cheaper, `at least ${limits.cheaper}`)
  if (times[names.pave] !== undefined)
    check(names.pave, names.node, times, (ratio) => ratio <= limits.pave, `at most ${limits.pave}`)
}

function check(name, other, times, holds, wanted) {
  const ratio = times[name] / times[other]
  const missed = !smoke && !holds(ratio)
  console.log(`${name} / ${other}: ${ratio.toFixed(2)}, wanted: ${wanted}${missed ? '  MISSED' : ''}`)
  if (missed) process.exitCode = 1
}

/** Alternating runs, so that other load on the machine slows all alike. The first round only warms the disk cache. */
function measure(commands) {
  const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, command] of Object.entries(commands)) {
      const started = performance.now()
      const { status, stderr } = spawnSync('bash', ['-c', command], { input: payload, encoding: 'utf8', env })
      const time = performance.now() - started
      if (status !== 0 || stderr !== '') throw new Error(`${name} ended with ${status}: ${stderr}`)
      if (round > 0) samples[name].push(time)
    }
    drain(round + 1)
  }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, median(list)]))
}

/** Checks that our hook stored its payload, and removes the payload as a reader of the spool does. */
function drain(round) {
  const { entries } = scanSpool(home)
  const kept = entries.map(({ file }) => readFileSync(file, 'utf8'))
  if (kept.length !== 1 || kept[0] !== payload)
    throw new Error(`round ${round}: ${kept.length} payloads in the spool instead of one`)
  for (const { file } of entries) for (const end of ['.ready', '']) rmSync(file + end)
}

function remoraHook() {
  createSpool(home)
  return script('remora-hook', createHookScript())
}

function nodeHook() {
  const file = join(home, 'hooks', 'writes.mjs')
  mkdirSync(join(home, 'written'))
  writeFileSync(
    file,
    `import { readFileSync, writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(home, 'written'))} + '/' + process.pid, readFileSync(0))
console.log('{}')
`,
  )
  return `${quoted(process.execPath)} ${quoted(file)}`
}

function curlHook() {
  const socket = join(home, 'server.sock')
  return `curl -s --unix-socket ${quoted(socket)} --data-binary @- http://localhost/hook`
}

/** Runs in a worker thread, because this thread blocks while a hook runs. */
async function startServer() {
  const worker = new Worker(
    `const { createServer } = require('node:http')
    const { parentPort, workerData } = require('node:worker_threads')
    createServer((request, response) => {
      request.resume()
      request.on('end', () => response.end('{}'))
    }).listen(workerData, () => parentPort.postMessage('ready'))`,
    { eval: true, workerData: join(home, 'server.sock') },
  )
  await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return worker
}

/** The installed pave hook with rules that match. */
function paveHook() {
  const program = fileURLToPath(new URL('../packages/insights/dist/pave/hook.js', import.meta.url))
  if (!existsSync(program)) {
    console.log(`${names.pave.padEnd(22)} not built: ${program}`)
    return {}
  }
  const file = join(home, 'hooks', 'remora-pave.mjs')
  copyFileSync(program, file)
  const edits = [{ kind: 'literal', from: 'pip install', to: 'pip3 install' }]
  const rules = { agents: { gemini: { dialect: 'gemini', refusals: [], edits } } }
  writeFileSync(join(home, 'hooks', 'pave-rules.json'), JSON.stringify(rules))
  return { [names.pave]: `${quoted(process.execPath)} ${quoted(file)} gemini` }
}

function script(name, text) {
  const file = join(home, 'hooks', name)
  mkdirSync(join(home, 'hooks'), { recursive: true })
  writeFileSync(file, text, { mode: 0o755 })
  return quoted(file)
}

function onPath(program) {
  const found = (process.env.PATH ?? '').split(':').some((folder) => namesIn(folder).includes(program))
  if (!found) console.log(`${'curl to a server'.padEnd(22)} skipped: ${program} is not installed`)
  return found
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function quoted(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { drainSpool } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import { createHookScript, createSpool, refusedPayloads, spoolFolder } from '@remora/sdk/hooks'
import { createRandom } from '../../bench/lib/corpus.mjs'

const drainer = fileURLToPath(new URL('hooks-drain.mjs', import.meta.url))
const sessions = 20

/**
 * Runs many hooks at once, like a CLI, while the process that drains the spool is killed repeatedly. At the end each
 * payload must be in the ledger once, and the spool must be empty.
 */
export async function breakHooks({ hooks, atOnce, seed }) {
  const random = createRandom(seed)
  const home = mkdtempSync(join(tmpdir(), 'remora-faults-'))
  try {
    mkdirSync(join(home, 'hooks'))
    const script = join(home, 'hooks', 'remora-hook')
    writeFileSync(script, createHookScript(), { mode: 0o755 })
    createSpool(home)
    const problems = []
    const stop = new AbortController()
    const killing = killDrains(home, random, stop.signal)
    problems.push(...(await runHooks(script, hooks, atOnce)))
    stop.abort()
    const kills = await killing
    console.log(`${hooks} hooks, ${atOnce} at a time; the drain was killed ${kills} times`)
    problems.push(...(await verify(home, hooks)))
    return problems.slice(0, 20)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function runHooks(script, hooks, atOnce) {
  const problems = []
  let next = 0
  const worker = async () => {
    while (next < hooks) {
      const number = next++
      const output = await runHook(script, JSON.stringify(createPayload(number)))
      if (output !== '0 {}\n') problems.push(`hook ${number} ended with ${output}`)
      if (process.stdout.isTTY && number % 50 === 0) process.stdout.write(`\r${number} of ${hooks}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (process.stdout.isTTY) process.stdout.write('\r')
  return problems
}

/** A distinct failed call in one of a few sessions. */
function createPayload(number) {
  return {
    session_id: `session-${number % sessions}`,
    cwd: '/home/me/work',
    hook_event_name: 'AfterTool',
    timestamp: new Date().toISOString(),
    tool_name: 'run_shell_command',
    tool_input: { command: `command ${number}` },
    tool_response: {
      llmContent: `Output: ${'x'.repeat(2000)}\nExit Code: 1\nProcess Group PGID: ${number + 1}`,
    },
  }
}

/** Runs the hook through bash, like a CLI. Returns its exit code and output. */
async function runHook(script, text) {
  const child = spawn('bash', ['-c', `'${script}' gemini`], { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (bytes) => (output += bytes))
  child.stderr.on('data', (bytes) => (output += bytes))
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  const [code, signal] = await once(child, 'close')
  return `${code ?? signal} ${output}`
}

/** Kills drains shortly after they start, while others wait to take over. Returns the number of kills. */
async function killDrains(home, random, signal) {
  let kills = 0
  const drains = [startDrain(home), startDrain(home), startDrain(home)]
  while (!signal.aborted) {
    const { child, ready, gone } = drains.shift()
    await ready
    child.stdin.write('go')
    // Usually the drain is in the middle of an append.
    await sleep(random() * 100)
    child.kill('SIGKILL')
    await gone
    kills++
    drains.push(startDrain(home))
  }
  for (const { child } of drains) child.kill('SIGKILL')
  await Promise.all(drains.map(({ gone }) => gone))
  return kills
}

function startDrain(home) {
  const child = spawn(process.execPath, [drainer, home], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  const gone = once(child, 'exit')
  const failed = gone.then(([code]) => {
    if (code !== null) throw new Error(`The drain exited with ${code}`)
  })
  const ready = Promise.race([once(child.stdout, 'data'), failed])
  ready.catch(() => {})
  failed.catch(() => {})
  return { child, ready, gone }
}

async function verify(home, hooks) {
  const ledger = await openLedger({ file: join(home, 'ledger.db') })
  const problems = []
  try {
    const { damaged } = await drainSpool(ledger, { remoraHome: home, wait: true })
    for (const file of damaged) problems.push(`damaged: ${file}`)
    const refused = refusedPayloads(home)
    if (refused > 0) problems.push(`${refused} payloads were refused`)
    const left = readdirSync(spoolFolder(home), { recursive: true, withFileTypes: true })
    for (const entry of left) if (entry.isFile()) problems.push(`still in the spool: ${entry.name}`)
    const results = new Map()
    for (let after; ;) {
      const page = await ledger.read({ limit: 1000, ...(after ? { after } : {}) })
      if (page.events.length === 0) break
      after = page.cursor
      for (const { event } of page.events)
        if (event.type === 'tool_result') results.set(event.entity, (results.get(event.entity) ?? 0) + 1)
    }
    if (results.size !== hooks) problems.push(`${results.size} results instead of ${hooks}`)
    for (const [entity, count] of results) if (count !== 1) problems.push(`${count} times: ${entity}`)
    const calls = await ledger.calls()
    const commands = new Set(calls.filter(({ failed }) => failed).map(({ input }) => input.command))
    if (calls.length !== hooks || commands.size !== hooks)
      problems.push(
        `${calls.length} calls with ${commands.size} distinct failed commands instead of ${hooks}`,
      )
  } finally {
    await ledger.close()
  }
  return problems
}

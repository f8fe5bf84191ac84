import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('admits one process at a time, also when all find the lock of an ended process', async () => {
  writeFileSync(join(folder, 'lock'), String(await deadPid()))
  await Promise.all(Array.from({ length: 4 }, () => holder()))
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  expect(lines).toEqual(Array.from({ length: 4 }, () => ['in', 'out']).flat())
  expect(existsSync(join(folder, 'lock'))).toBe(false)
})

it('releases the lock when its holder is stopped', async () => {
  const child = start(60_000)
  await once(child.stdout, 'data')
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(String(child.pid))
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(143)
  expect(existsSync(join(folder, 'lock'))).toBe(false)
})

/** A process that holds the lock for a moment and prints when it entered and left. */
function start(milliseconds) {
  const module = new URL('./lock.mjs', import.meta.url).href
  const script = `
    import { appendFileSync } from 'node:fs'
    import { withLock } from ${JSON.stringify(module)}
    await withLock('lock', async () => {
      appendFileSync('log', 'in\\n')
      console.log('in')
      await new Promise((resolve) => setTimeout(resolve, ${milliseconds}))
      appendFileSync('log', 'out\\n')
    })`
  return spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, stdio: 'pipe' })
}

async function holder() {
  const [code] = await once(start(100), 'exit')
  expect(code).toBe(0)
}

async function deadPid() {
  const child = spawn(process.execPath, ['-e', '0'])
  await once(child, 'exit')
  return child.pid
}

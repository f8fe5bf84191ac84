import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-children-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('ends every child when the script is stopped, including one in its own group that ignores SIGTERM', async () => {
  const modules = ['children.mjs', 'temporary.mjs'].map((name) => new URL(name, import.meta.url).href)
  const stubborn = `process.on('SIGTERM', () => {}); require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)`
  const between = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000)`
  const script = `
    import { run } from '${modules[0]}'
    import { withTemporaryFolder } from '${modules[1]}'
    await withTemporaryFolder((temporary) => {
      console.log(temporary)
      return run(process.execPath, ['-e', ${JSON.stringify(between)}], { cwd: ${JSON.stringify(folder)} })
    })
    console.log('continued')`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  parent.stdout.on('data', (data) => (output += data))
  const pid = await pidOfTheLast()
  parent.kill('SIGINT')
  const [code] = await once(parent, 'close')

  expect(code).toBe(130)
  expect(existsSync(output.trim())).toBe(false)
  expect(output).not.toContain('continued')
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
})

async function pidOfTheLast() {
  const file = join(folder, 'pid')
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20)
  return Number(readFileSync(file, 'utf8'))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    // A zombie that was not reaped yet counts as ended.
    return !/\) Z /.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '')
  } catch {
    return false
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { isRunning, thisProcess } from './owner.ts'
import { startTime } from './process-table.ts'

it('recognises this process, and another one with its id', async () => {
  const owner = await thisProcess()
  expect(await isRunning(owner)).toBe(true)
  expect(await isRunning({ pid: owner.pid })).toBe(true)
  expect(await isRunning({ pid: owner.pid, startTime: '1' })).toBe(false)
})

it.runIf(process.platform === 'linux')(
  'does not take a process for running that is removed from the process list meanwhile',
  async () => {
    // A parent that is busy when its child ends, and collects it when told, while the child is being checked.
    const program = `const child = require('node:child_process').spawn('true')
      require('node:fs').writeSync(1, String(child.pid))
      require('node:fs').readSync(0, Buffer.alloc(1))
      process.stdin.resume()`
    const parent = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'ignore'] })
    try {
      const [output] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(output.toString())
      await expect.poll(() => startTime(pid)).toBeUndefined()
      const check = async () => {
        const found: boolean[] = []
        while (exists(pid)) found.push(await isRunning({ pid }))
        return found
      }
      const checks = Promise.all(Array.from({ length: 50 }, check))
      parent.stdin.write('.')
      expect((await checks).flat()).not.toContain(true)
    } finally {
      parent.stdin.end()
    }
  },
)

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

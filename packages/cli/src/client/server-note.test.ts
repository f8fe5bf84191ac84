import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isProcessAlive } from './server-note.ts'

it.runIf(process.platform === 'linux')(
  'takes a killed process for dead whose parent has not noticed',
  async () => {
    // The shell becomes `sleep`, which never reaps its child.
    const parent = spawn('sh', ['-c', 'sleep 90 & echo $!; exec sleep 90'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const [output] = (await once(parent.stdout, 'data')) as [Buffer]
      const child = Number(output.toString())
      await expect
        .poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8'), { timeout: 30_000 })
        .toBe('sleep\n')
      expect(isProcessAlive(child)).toBe(true)
      process.kill(child, 'SIGKILL')
      await expect.poll(() => isProcessAlive(child), { timeout: 30_000 }).toBe(false)
      expect(process.kill(child, 0)).toBe(true)
    } finally {
      parent.kill('SIGKILL')
    }
  },
  90_000,
)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { isProcessAlive } from './server-note.ts'

it.runIf(process.platform === 'linux')(
  'takes a killed process for dead whose parent has not noticed',
  async () => {
    // The shell becomes `sleep`, which never collects its child.
    const parent = spawn('sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const [output] = (await once(parent.stdout, 'data')) as [Buffer]
      const child = Number(output.toString())
      expect(isProcessAlive(child)).toBe(true)
      process.kill(child, 'SIGKILL')
      await expect.poll(() => isProcessAlive(child)).toBe(false)
      expect(process.kill(child, 0)).toBe(true)
    } finally {
      parent.kill('SIGKILL')
    }
  },
)

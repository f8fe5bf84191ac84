import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { onceClosed } from './once-closed.ts'

/** Ends at once, or waits; another process keeps its output open either way. */
function start(script: string) {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const closed = new Promise<number | null>((resolve) => onceClosed(child, resolve))
  return { child, closed, text: () => text }
}

it('waits for all output of a client that has ended by itself', async () => {
  const { closed, text } = start('(sleep 1; echo late) & echo early')
  expect(await closed).toBe(0)
  expect(text()).toBe('early\nlate\n')
})

it('does not wait for the output of a client that was killed', async () => {
  const { child, closed } = start('sleep 30 & echo $!; wait')
  const [first] = (await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)))
    .toString()
    .split('\n')
  const began = performance.now()
  child.kill('SIGKILL')
  expect(await closed).toBeNull()
  expect(performance.now() - began).toBeLessThan(15_000)
  process.kill(Number(first))
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestHome } from './home.test-data.ts'

// The built command in a real pipe, which a test in this process cannot close.
const remora = fileURLToPath(new URL('../../bin/remora.mjs', import.meta.url))

let home: TestHome
beforeAll(async () => {
  home = new TestHome()
  for (let index = 0; index < 40; index++) {
    const id = `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`
    await home.add({ agent: 'claude', scenario: 'edit', id })
  }
})
afterAll(() => home[Symbol.dispose]())

function start(words: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home.path }
  return spawn(process.execPath, [remora, ...words], {
    env,
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

it.each([
  [['sessions', '--limit', '40']],
  [['sessions', '--json']],
  [['show', '00000000', '--json']],
  [['usage', '--json']],
])('%j exits quietly when its reader closes the pipe', async (words) => {
  const child = start(words)
  const errors = text(child.stderr)
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number]
  expect({ code, errors: await errors }).toEqual({ code: 0, errors: '' })
})

it('stops watch when its reader is gone, and on Ctrl+C', async () => {
  const watch = start(['watch', '00000000', '--from', 'start', '--json'])
  await once(watch.stdout, 'data')
  watch.kill('SIGINT')
  expect(await once(watch, 'close')).toEqual([130, null])
  const follow = start(['follow'])
  await once(follow.stdout, 'data')
  // Two signals at the same time, like timeout(1): the lease must still be released.
  follow.kill('SIGINT')
  follow.kill('SIGINT')
  expect(await once(follow, 'close')).toEqual([130, null])
  const again = start(['follow', '--json'])
  const [ready] = (await once(again.stdout, 'data')) as [Buffer]
  expect(ready.toString()).toContain('"ready"')
  again.kill('SIGTERM')
  await once(again, 'close')
})

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const file = fileURLToPath(new URL('bin.ts', import.meta.url))

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function finished(child: ChildProcess): Promise<{ code: unknown; out: string; err: string }> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()))
  child.stderr?.on('data', (data: Buffer) => (err += data.toString()))
  const [code] = await once(child, 'close')
  return { code, out, err }
}

it(
  'prints its address and the settings of each CLI, serves, and ends at Ctrl+C',
  { timeout: 60_000 },
  async () => {
    const child = start('--scenario', 'hello')
    const end = finished(child)
    const [first] = (await once(child.stdout!, 'data')) as [Buffer]
    const url = /listens on (\S+);/.exec(first.toString())?.[1] ?? ''
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(await response.text()).toContain('Hello from the scripted model.')
    child.kill('SIGINT')
    const { code, out } = await end
    expect(code).toBe(0)
    for (const name of ['GOOGLE_GEMINI_BASE_URL=', 'ANTHROPIC_BASE_URL=', 'base_url = ', '"baseURL":']) {
      expect(out).toContain(name)
    }
  },
)

it('lists the scenarios', { timeout: 60_000 }, async () => {
  const { code, out } = await finished(start('--list'))
  expect(code).toBe(0)
  expect(out).toMatch(/^hello +Text in several chunks$/m)
})

it.each([
  [['--bogus'], /--bogus/],
  [['--port', 'x'], /--port x is not a port/],
  [['--scenario', 'nope'], /No scenario is called nope/],
])('refuses %j in two lines', { timeout: 60_000 }, async (args, message) => {
  const { code, err } = await finished(start(...args))
  expect(code).toBe(2)
  expect(err).toMatch(message)
  expect(err.trim().split('\n')).toHaveLength(2)
})

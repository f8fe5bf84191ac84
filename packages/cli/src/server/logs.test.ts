import { appendFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LiveHome } from '../live/live-home.test-data.ts'

let home: LiveHome
beforeEach(() => (home = new LiveHome()))
afterEach(() => home[Symbol.dispose]())

/** The log is polled, which can take seconds on a busy machine. */
const polling = { timeout: 60_000 }

const entry = (message: string, more = {}) =>
  `${JSON.stringify({ at: '2026-01-31T14:05:03.120Z', level: 'info', message, ...more })}\n`

it('prints the last lines formatted, or raw with --json', async () => {
  home.put(
    's/logs/server.log',
    `${entry('one')}plain words\u001B[2J\n${entry('three', { port: 7, why: 'x' })}`,
  )
  expect((await home.remora(['logs'])).out).toBe(
    '2026-01-31 14:05:03 one\nplain words\n2026-01-31 14:05:03 three port=7 why=x\n',
  )
  expect((await home.remora(['logs', '-n', '1', '--json'])).out).toBe(entry('three', { port: 7, why: 'x' }))
})

it('prints the path of a missing log', async () => {
  expect(await home.remora(['logs'])).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining('remora serve'),
  })
})

it('follows the file after a rotation', async () => {
  const file = home.put('s/logs/server.log', entry('first'))
  const logs = home.start(['logs', '-f'])
  await expect.poll(() => logs.printed.out, polling).toContain('first')
  const whole = entry('second é')
  appendFileSync(file, whole.slice(0, 20))
  appendFileSync(file, whole.slice(20))
  await expect.poll(() => logs.printed.out, polling).toContain('second é\n')
  writeFileSync(file, entry('anew'))
  await expect.poll(() => logs.printed.out, polling).toContain('anew')
  expect((await logs.stop()).code).toBe(130)
  expect(logs.printed.out.match(/first/g)).toHaveLength(1)
})

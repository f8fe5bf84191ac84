import { spawnSync } from 'node:child_process'
import { afterEach, expect, it } from 'vitest'
import { endOrphans } from './orphans.ts'
import { listProcesses } from './process-list.ts'
import { type Place, terminalPlace } from './terminal.test-data.ts'

let place: Place
afterEach(() => place.close())

const clients = async (socket: string) =>
  [...(await listProcesses()).values()].filter(
    ({ argv }) => argv[0] === 'tmux' && argv.includes(socket) && argv.includes('-C'),
  )

it('kills the client whose owner was killed, and no other', async () => {
  place = await terminalPlace()
  const terminal = await place.start()
  const own = await clients(place.socket)
  // Its owner goes at once, and what it reads stays open.
  const script = `sleep 60 | tmux -u -f /dev/null -S '${place.socket}' -C attach-session >/dev/null 2>&1 &`
  spawnSync('setsid', ['sh', '-c', script], { stdio: 'ignore' })
  await expect
    .poll(async () => (await clients(place.socket)).length, { timeout: 30_000 })
    .toBe(own.length + 1)
  await expect.poll(() => endOrphans(place.socket), { timeout: 30_000 }).toBe(1)
  await expect.poll(() => clients(place.socket), { timeout: 30_000 }).toHaveLength(own.length)
  await terminal.send('hello')
  expect(terminal.now.state).not.toBe('exited')
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ledger, type NodeEntry, openLedger } from '@remora/ledger'
import type { Command, LiveInfo } from '@remora/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OpenCommands } from './open-commands.ts'
import { OtherNodes } from './other-nodes.ts'
import { fleetTimes } from './times.ts'

const refuseMs = 200
let folder = ''
let ledger: Ledger
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oc-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db'), node: 'n1' })
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true, force: true })
})

function node(fields: Partial<LiveInfo> = {}, silentMs = 0): NodeEntry {
  const live: LiveInfo = {
    id: 'l-far',
    agent: 'gemini',
    session: 'l-far',
    channel: 'terminal',
    state: 'idle',
    cwd: '/far',
    startedAt: 1,
    since: 1,
    adopted: false,
    asks: 0,
    queued: 0,
    ...fields,
  }
  return { id: 'n2', name: 'desktop', version: '1.0.0', live: [live], silentMs }
}

/** One machine that watches what it has sent to another. */
function watcher(): { others: OtherNodes; commands: OpenCommands; told: Command[] } {
  const times = { ...fleetTimes, refuseMs }
  const others = new OtherNodes('n1', times)
  const told: Command[] = []
  const commands = new OpenCommands({
    ledger,
    others,
    tell: (command) => told.push(command),
    holderOf: (key) => others.of(key),
    times,
  })
  return { others, commands, told }
}

async function send({ others, commands }: ReturnType<typeof watcher>, session = 'l-far'): Promise<Command> {
  const command = await ledger.commands.submit({
    id: 'one',
    client: 'phone',
    target: { agent: 'gemini', session },
    body: { kind: 'prompt', content: [{ type: 'text', text: 'hello' }] },
    state: 'queued',
    at: 1,
  })
  commands.add(command, others.of(command.target)!)
  return command
}

it('brings a command to the id that the session has got while it was stored', async () => {
  const here = watcher()
  here.others.see([node()])
  await send(here)
  here.others.see([node({ session: 'abc' })])
  await here.commands.look()
  const [moved] = await ledger.commands.list({ session: { agent: 'gemini', session: 'abc' } })
  expect(moved).toMatchObject({ id: 'one', state: 'queued' })
  await ledger.commands.move(moved!, 'queued', 'sent')
  await ledger.commands.move(moved!, 'sent', 'done')
  await here.commands.look()
  expect(here.told.at(-1)).toMatchObject({ id: 'one', state: 'done' })
})

it('refuses at once what its own machine says has ended', async () => {
  const here = watcher()
  here.others.see([node()])
  await send(here)
  here.others.see([node({ state: 'ended' })])
  await here.commands.look()
  expect(here.told).toMatchObject([{ state: 'refused', reason: 'The session is not live' }])
})

it.each([
  ['has fallen silent', [node({}, 130_000)], /^The machine desktop has not been heard of for 2 minutes/],
  ['was taken from the list', [], /^The machine desktop has not been heard of/],
] as const)(
  'refuses after a while what waits for a machine that %s, and tells it once',
  async (_, seen, why) => {
    const [here, third] = [watcher(), watcher()]
    for (const each of [here, third]) each.others.see([node()])
    await send(here)
    await third.commands.look()
    expect(third.told).toMatchObject([{ state: 'queued' }])
    for (const each of [here, third]) {
      each.others.see(seen)
      await each.commands.look()
    }
    expect((await ledger.commands.list({ state: 'queued' })).length).toBe(1)
    await sleep(refuseMs + 20)
    await Promise.all([here.commands.look(), third.commands.look()])
    for (const each of [here, third]) {
      await each.commands.look()
      await each.commands.look()
      const refused = each.told.filter(({ state }) => state === 'refused')
      expect(refused).toMatchObject([{ id: 'one', reason: expect.stringMatching(why) as string }])
    }
  },
)

it('leaves what waits for a machine that is heard of again', async () => {
  const here = watcher()
  here.others.see([node()])
  await send(here)
  here.others.see([node({}, 130_000)])
  await here.commands.look()
  here.others.see([node()])
  await here.commands.look()
  await sleep(refuseMs + 20)
  here.others.see([node({}, 130_000)])
  await here.commands.look()
  expect((await ledger.commands.list({ state: 'queued' })).length).toBe(1)
  expect(here.told).toEqual([])
})

it('tells that a command is done, though the session has got an id that nobody has told of yet', async () => {
  const here = watcher()
  here.others.see([node()])
  const command = await send(here)
  await ledger.commands.rekey(command.target, { agent: 'gemini', session: 'abc' })
  await ledger.commands.move(command, 'queued', 'sent')
  await ledger.commands.move(command, 'sent', 'done')
  await here.commands.look()
  expect(here.told).toMatchObject([{ id: 'one', state: 'done' }])
})

it('is done with a look in which a command came that it had not read', async () => {
  const here = watcher()
  here.others.see([node()])
  const { list, find } = ledger.commands
  vi.spyOn(ledger.commands, 'list').mockImplementation(async (query) => {
    const found = await list(query)
    if (query?.state === 'sent') await send(here)
    return found
  })
  let finds = 0
  vi.spyOn(ledger.commands, 'find').mockImplementation(async (id) => {
    // Else a look without end would hold up this test too, and all others.
    if (++finds > 10) throw new Error('It looks for ever')
    return find(id)
  })
  await here.commands.look()
  vi.restoreAllMocks()
  const [waiting] = await ledger.commands.list({ state: 'queued' })
  await ledger.commands.move(waiting!, 'queued', 'sent')
  await here.commands.look()
  expect(here.told).toMatchObject([{ id: 'one', state: 'sent' }])
})

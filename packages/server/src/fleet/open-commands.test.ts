import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ledger, type NodeEntry, openLedger } from '@remora/ledger'
import type { Command, LiveInfo } from '@remora/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OpenCommands } from './open-commands.ts'
import { OtherNodes } from './other-nodes.ts'
import { fleetTimes } from './heartbeats.ts'

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

function createNode(fields: Partial<LiveInfo> = {}, silentMs = 0): NodeEntry {
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

/** A machine that follows its commands for another. */
function createWatcher(): { others: OtherNodes; commands: OpenCommands; reported: Command[] } {
  const times = { ...fleetTimes, refuseMs }
  const others = new OtherNodes('n1', times)
  const reported: Command[] = []
  const commands = new OpenCommands({
    ledger,
    others,
    report: (command) => reported.push(command),
    isLocal: ({ session }) => session === 'l-here',
    findHolder: (key) => others.of(key),
    times,
  })
  return { others, commands, reported }
}

function submit(session = 'l-far'): Promise<Command> {
  return ledger.commands.submit({
    id: 'one',
    client: 'phone',
    target: { agent: 'gemini', session },
    body: { kind: 'prompt', content: [{ type: 'text', text: 'hello' }] },
    state: 'queued',
    at: 1,
  })
}

async function send({ others, commands }: ReturnType<typeof createWatcher>): Promise<Command> {
  const command = await submit()
  commands.add(command, others.of(command.target)!)
  return command
}

it('moves a command to the id that the session got while it was stored', async () => {
  const here = createWatcher()
  here.others.update([createNode()])
  await send(here)
  here.others.update([createNode({ session: 'abc' })])
  await here.commands.check()
  const [moved] = await ledger.commands.list({ session: { agent: 'gemini', session: 'abc' } })
  expect(moved).toMatchObject({ id: 'one', state: 'queued' })
  await ledger.commands.move(moved!, 'queued', 'sent')
  await ledger.commands.move(moved!, 'sent', 'done')
  await here.commands.check()
  expect(here.reported.at(-1)).toMatchObject({ id: 'one', state: 'done' })
})

it('refuses a command at once whose session has ended on an online machine', async () => {
  const here = createWatcher()
  here.others.update([createNode()])
  await send(here)
  here.others.update([createNode({ state: 'ended' })])
  await here.commands.check()
  expect(here.reported).toMatchObject([{ state: 'refused', reason: 'The session is not running' }])
})

it.each([
  ['has fallen silent', [createNode({}, 130_000)], /^Machine desktop has been offline for 2 minutes/],
  ['was taken from the list', [], /^Machine desktop has been offline/],
] as const)(
  'refuses a queued command after the timeout for a machine that %s, and reports it once',
  async (_, seen, why) => {
    const [here, third] = [createWatcher(), createWatcher()]
    for (const each of [here, third]) each.others.update([createNode()])
    await send(here)
    await third.commands.check()
    expect(third.reported).toMatchObject([{ state: 'queued' }])
    for (const each of [here, third]) {
      each.others.update(seen)
      await each.commands.check()
    }
    expect((await ledger.commands.list({ state: 'queued' })).length).toBe(1)
    await sleep(refuseMs + 20)
    await Promise.all([here.commands.check(), third.commands.check()])
    for (const each of [here, third]) {
      await each.commands.check()
      await each.commands.check()
      const refused = each.reported.filter(({ state }) => state === 'refused')
      expect(refused).toMatchObject([{ id: 'one', reason: expect.stringMatching(why) as string }])
    }
  },
)

it('keeps a queued command for a machine that comes back online', async () => {
  const here = createWatcher()
  here.others.update([createNode()])
  await send(here)
  here.others.update([createNode({}, 130_000)])
  await here.commands.check()
  here.others.update([createNode()])
  await here.commands.check()
  await sleep(refuseMs + 20)
  here.others.update([createNode({}, 130_000)])
  await here.commands.check()
  expect((await ledger.commands.list({ state: 'queued' })).length).toBe(1)
  expect(here.reported).toEqual([])
})

it('reports a command as done although the new id of its session is not known yet', async () => {
  const here = createWatcher()
  here.others.update([createNode()])
  const command = await send(here)
  await ledger.commands.rekey(command.target, { agent: 'gemini', session: 'abc' })
  await ledger.commands.move(command, 'queued', 'sent')
  await ledger.commands.move(command, 'sent', 'done')
  await here.commands.check()
  expect(here.reported).toMatchObject([{ id: 'one', state: 'done' }])
})

it('reports a command that starts and ends between two checks, also while its machine is unknown', async () => {
  const here = createWatcher()
  await here.commands.check()
  const command = await submit()
  await ledger.commands.move(command, 'queued', 'sent')
  await ledger.commands.move(command, 'sent', 'done')
  await here.commands.check()
  await here.commands.check()
  expect(here.reported).toMatchObject([{ id: 'one', state: 'done' }])
})

it('leaves the commands of its own sessions to the server that runs them', async () => {
  const here = createWatcher()
  await here.commands.check()
  const command = await submit('l-here')
  await ledger.commands.move(command, 'queued', 'sent')
  await here.commands.check()
  expect(here.reported).toEqual([])
})

it('keeps a command that is added while the changes are being read', async () => {
  const here = createWatcher()
  here.others.update([createNode()])
  const { changes } = ledger.commands
  vi.spyOn(ledger.commands, 'changes').mockImplementationOnce(async (after) => {
    const found = await changes(after)
    await send(here)
    return found
  })
  await here.commands.check()
  const [waiting] = await ledger.commands.list({ state: 'queued' })
  await ledger.commands.move(waiting!, 'queued', 'sent')
  await here.commands.check()
  expect(here.reported).toMatchObject([{ id: 'one', state: 'sent' }])
})

it('drops a queued command whose session was deleted', async () => {
  const here = createWatcher()
  here.others.update([createNode()])
  const command = await send(here)
  await here.commands.check()
  await ledger.forget(command.target)
  here.others.update([createNode({ state: 'ended' })])
  await here.commands.check()
  await here.commands.check()
  expect(here.reported).toEqual([])
})

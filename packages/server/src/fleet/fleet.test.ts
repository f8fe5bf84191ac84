import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOwnNode, openLedger } from '@remora/ledger'
import { expect, it, vi } from 'vitest'
import { answerRemotely, controlRemotely, isDone, startOnDesktop } from './fleet-stories.test-data.ts'
import { type FleetStage, createFleetStage, testTimes } from './fleet.test-data.ts'
import { mkdirSync } from 'node:fs'
import { HostStage } from '../host/host.test-data.ts'

it('lists sessions of another machine, and controls them: prompt, mode, cancel, end, each once', async () => {
  await using stage = await createFleetStage()
  expect(await controlRemotely(stage)).toEqual(['hello there', 'slow'])
}, 180_000)

it('delivers an answer from the other machine once, and lets one of two answers win', async () => {
  await using stage = await createFleetStage()
  expect(await answerRemotely(stage)).toHaveLength(6)
}, 180_000)

it('refuses actions that only the machine of the session supports, and names it', async () => {
  await using stage = await createFleetStage()
  const { laptop, desktop, until } = stage
  const info = await startOnDesktop(stage)
  await laptop.submit('one', info, 'hello there')
  await until('its own id is known', () => !laptop.live.find(info.id)!.session.startsWith('l-'))
  const { session } = laptop.live.find(info.id)!
  expect(() => laptop.live.terminal(info.id)).toThrow(/desktop/)
  for (const refused of [
    laptop.live.release(info.id),
    laptop.live.start({ agent: 'gemini', cwd: laptop.cwd, resume: session }),
  ])
    await expect(refused).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('desktop') as string,
    })
  await desktop.submit('end', desktop.live.find(info.id)!, { kind: 'end' })
  await until('it ended', () => laptop.live.of({ agent: 'gemini', session }) === undefined)
  await expect(
    laptop.live.start({ agent: 'gemini', cwd: laptop.cwd, resume: session }),
  ).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('desktop') as string })
  // The desktop can use its own sessions.
  const own = await laptop.start()
  await until('its own', () => laptop.live.find(own.id)?.state === 'idle')
  expect(laptop.live.terminal(own.id)).toBeDefined()
}, 180_000)

it('reports an offline machine, refuses commands for it, and withdraws queued ones', async () => {
  // Only the laptop treats the desktop as offline, so the desktop keeps running.
  const times = { ...testTimes, silentMs: 8_000, refuseMs: 1_000 }
  await using stage = await createFleetStage({ laptop: { fleet: { times } } })
  const { laptop, desktop, until } = stage
  const info = await startOnDesktop(stage)
  await laptop.submit('slow', info, 'slow')
  await until('it works', () => laptop.live.find(info.id)?.state === 'working')
  const { session } = laptop.live.find(info.id)!
  await laptop.submit('waits', laptop.live.find(info.id)!, 'after the slow one')
  await desktop.server.close()
  await until('silence', () => laptop.live.find(info.id)?.node?.silent)
  const refused = await laptop.submit('more', laptop.live.find(info.id)!, 'hello?')
  expect(refused).toMatchObject({
    state: 'refused',
    reason: expect.stringMatching(/^Machine desktop has been offline for \d+ seconds/) as string,
  })
  await until('what waited was refused', () => laptop.states('waits').at(-1) === 'refused')
  const [waited] = (await laptop.ledger.commands.list({ session: { agent: 'gemini', session } })).filter(
    ({ id }) => id === 'waits',
  )
  expect(waited).toMatchObject({ state: 'refused', reason: expect.stringContaining('desktop') as string })

  await desktop.open()
  await until('the desktop to be online', () => laptop.live.find(info.id)?.node?.silent === undefined)
  await laptop.submit('stop', laptop.live.find(info.id)!, { kind: 'cancel' })
  await until('it rests', () => laptop.live.find(info.id)?.state === 'idle')
  // The refused prompt was not sent.
  await laptop.submit('again', laptop.live.find(info.id)!, 'hello again')
  await until('the next one', isDone(laptop, 'again'))
  expect(await desktop.prompts()).toEqual(['slow', 'hello again'])
}, 180_000)

it('sends the bytes of an upload to the other machine', async () => {
  await using stage = await createFleetStage()
  const { laptop, desktop, until } = stage
  const info = await startOnDesktop(stage)
  const uploads = join(laptop.remoraHome, 'uploads')
  await mkdir(uploads, { recursive: true })
  const upload = async (name: string, bytes: Buffer) => {
    await writeFile(join(uploads, name), bytes)
    const source = { type: 'file' as const, path: join(uploads, name), media_type: 'image/png' }
    return [
      { type: 'text' as const, text: 'look at this' },
      { type: 'image' as const, source },
    ]
  }
  const pictures = [Buffer.from('iVBORw0KGgo=', 'base64'), Buffer.from('iVBORw0KGgoAAAA=', 'base64')]
  await laptop.submit('see', info, { kind: 'prompt', content: await upload('0123.png', pictures[0]!) })
  await until('it is done', isDone(laptop, 'see'))
  // The upload of an edited queued prompt is embedded too.
  await laptop.submit('slow', laptop.live.find(info.id)!, 'slow')
  await until('it works', async () => (await desktop.prompts()).includes('slow'))
  const waiting = await laptop.submit('edited', laptop.live.find(info.id)!, 'words alone')
  await laptop.live.edit(waiting, { kind: 'prompt', content: await upload('4567.png', pictures[1]!) })
  await laptop.submit('stop', laptop.live.find(info.id)!, { kind: 'cancel' })
  await until('that is done too', isDone(laptop, 'edited'))
  const prompts = await desktop.prompts()
  expect(prompts).toHaveLength(3)
  for (const [index, prompt] of [prompts[0], prompts[2]].entries()) {
    const there = /@(\S+\.png)/.exec(prompt ?? '')?.[1]
    expect(there).toContain(desktop.remoraHome)
    expect(await readFile(there!)).toEqual(pictures[index])
  }
  const lost = { type: 'file' as const, path: join(uploads, 'gone.png') }
  await expect(
    laptop.submit('gone', laptop.live.find(info.id)!, {
      kind: 'prompt',
      content: [{ type: 'image', source: lost }],
    }),
  ).rejects.toMatchObject({ code: 'input' })
}, 180_000)

/** Stores a command in state `sent`, as a killed server leaves it, with the clock of the sending machine. */
async function storeSentCommand(
  { database, desktop }: FleetStage,
  {
    id,
    session,
    text,
    at,
    since,
  }: Record<'id' | 'session' | 'text', string> & Record<'at' | 'since', number>,
): Promise<void> {
  const node = (await getOwnNode(desktop.remoraHome)).id
  const ledger = await openLedger({ file: database, node })
  const command = await ledger.commands.submit({
    id,
    client: 'phone',
    target: { agent: 'gemini', session },
    body: { kind: 'prompt', content: [{ type: 'text', text }] },
    state: 'queued',
    at,
  })
  await ledger.append([], { marks: { [`terminal/sent/${JSON.stringify(['phone', id])}`]: since } })
  await ledger.commands.move(command, 'queued', 'sent')
  await ledger.close()
}

for (const hours of [-5, 5])
  it(`runs the commands of a machine whose clock is ${hours} hours wrong once, and detects which prompts arrived`, async () => {
    const now = (): number => Date.now() + hours * 3_600_000
    await using stage = await createFleetStage({ laptop: { fleet: { times: testTimes, now } } })
    const { laptop, desktop, until } = stage
    const info = await startOnDesktop(stage)
    const began = Date.now()
    await laptop.submit('one', info, 'go on')
    await until('the first', isDone(laptop, 'one'))
    // The prompt leaves no visible state: only the transcript shows that it arrived.
    await laptop.submit('shy', laptop.live.find(info.id)!, 'shy')
    await until('the shy one', isDone(laptop, 'shy'))
    const { session } = await until('its own id', () => {
      const found = laptop.live.find(info.id)
      return found?.session.startsWith('l-') ? undefined : found
    })
    const [sent] = await laptop.ledger.commands.list({ session: { agent: 'gemini', session } })
    expect(Math.abs(sent!.at - Date.now())).toBeGreaterThan(4 * 3_600_000)
    await desktop.server.close()
    // With the laptop's clock, the first would seem lost if it is fast, and the second delivered if it is slow.
    const at = now()
    await storeSentCommand(stage, { id: 'came', session, text: 'go on', at, since: began })
    await storeSentCommand(stage, { id: 'lost', session, text: 'shy', at, since: Date.now() + 6_000 })
    await desktop.open()
    await until('one came', () => laptop.states('came').at(-1) === 'done')
    await until('one is lost', () => laptop.states('lost').at(-1) === 'refused')
    expect(await desktop.prompts()).toEqual(['go on', 'shy'])
    expect(laptop.live.find(info.id)?.node).toEqual({ id: desktop.ledger.node, name: 'desktop' })
  }, 180_000)

it('runs an agent in a shared ledger, and runs the commands of another machine once', async () => {
  await using stage = new HostStage()
  mkdirSync(join(stage.remoraHome, 'shared'))
  const file = join(stage.remoraHome, 'shared', 'ledger.db')
  const host = await stage.start(
    {},
    { env: { PATH: process.env['PATH'], HOME: stage.remoraHome, REMORA_DATABASE_URL: `file://${file}` } },
  )
  const other = await openLedger({ file, node: 'n-other' })
  const own = await openLedger({ file, node: (await getOwnNode(stage.remoraHome)).id })
  try {
    const session = { agent: 'fake', session: host.session }
    const wish = {
      id: 'one',
      client: 'phone',
      target: session,
      body: { kind: 'prompt' as const, content: [{ type: 'text' as const, text: 'hello' }] },
      state: 'queued' as const,
      // The clock of the other machine is far behind.
      at: 1,
    }
    await Promise.all([other.commands.submit(wish), own.commands.submit(wish)])
    await vi.waitFor(
      async () =>
        expect(await other.commands.list({ session })).toMatchObject([{ id: 'one', state: 'done' }]),
      { timeout: 60_000, interval: 50 },
    )
    const prompts = (await other.read({ session })).events.filter(
      ({ event }) => event.type === 'message' && event.role === 'user',
    )
    expect(prompts).toHaveLength(1)
    expect((await other.session(session))?.node).toBe(own.node)
    // Hosts of the same name on two machines have separate leases.
    expect(await own.leases.find(`host l-test of ${own.node}`)).toBeDefined()
    expect(await own.leases.find('host l-test')).toBeUndefined()
  } finally {
    await other.close()
    await own.close()
  }
}, 120_000)

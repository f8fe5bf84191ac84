import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isRunning } from '@remora/sdk'
import { type TestContext, it, vi } from 'vitest'
import { attachHost, forgetHost } from '../live/acp-driver.ts'
import { getHostFiles, getHostSocket } from './host-files.ts'
import { HostStage } from './host.test-data.ts'

// Each test starts several processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 })
const soon = { timeout: 60_000 }

function stage(onTestFinished: TestContext['onTestFinished']): HostStage {
  const made = new HostStage()
  onTestFinished(() => made[Symbol.asyncDispose]())
  return made
}

/** The pid of the agent, which the fake agent puts into its session ids. */
const getAgentPid = (session: string): number => Number(/^fake-(\d+)-/.exec(session)![1])

const kill = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGKILL')
  await vi.waitUntil(async () => !(await isRunning({ pid })), { timeout: 60_000 })
}

it.concurrent('survives a kill of its server, and can be attached again', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const driver = fileURLToPath(new URL('../../dist/live/acp-driver.js', import.meta.url))
  const { signal: _, ...options } = at.options()
  const server = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { startHost } from ${JSON.stringify(driver)}
       const host = await startHost(${JSON.stringify(options)})
       console.log(host.session)
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  )
  const [session] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
  const much = `chunks 1500\nuntil ${at.go}\nchunks 1500`
  const long = await at.prompt(session, much)
  const next = await at.prompt(session, 'say next')
  await at.until(long, 'sent')
  await expect.poll(async () => (await at.words(session)).length, soon).toBeGreaterThan(100)
  // With its whole process group, as a closed terminal does.
  process.kill(-server.pid!, 'SIGKILL')
  await once(server, 'exit')
  writeFileSync(at.go, '')
  await at.until(next, 'done')
  const host = await at.attach()
  expect(host.session).toBe(session)
  expect(host.info.state).toBe('idle')
  const words = await at.words(session)
  expect(words.filter((each) => each.startsWith('0') || each.startsWith('00'))).toHaveLength(3000)
  expect(words.filter((each) => each === 'next')).toHaveLength(1)
  expect(await at.heard()).toEqual([much, 'say next'])
  await host.end()
  expect(await isRunning({ pid: getAgentPid(session) })).toBe(false)
})

it.concurrent('leaves no agent behind when it is killed; the next host sends nothing twice', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start({ stays: true })
  const { session } = host
  const key = { agent: 'fake', session }
  const ledger = await at.ledger()
  await at.until(await at.prompt(session, 'say once'), 'done')
  const asked = await at.prompt(session, 'tool execute date')
  const waits = await at.prompt(session, 'say later')
  await expect.poll(() => ledger.asks.pending(key), soon).toHaveLength(1)
  const [pending] = await ledger.asks.pending(key)
  await kill(host.pid)
  expect(await host.closed).toEqual({ reason: 'killed' })
  await expect.poll(() => isRunning({ pid: getAgentPid(session) }), soon).toBe(false)
  expect(await attachHost({ remoraHome: at.remoraHome, live: 'l-test' })).toEqual({
    gone: { reason: 'killed' },
  })
  // A prompt that never reached the agent, with the same text as one that did.
  const lost = await at.prompt(session, 'say once')
  await ledger.append([], {
    marks: { [`host/sent/${JSON.stringify([lost.client, lost.id])}`]: await ledger.head() },
  })
  await ledger.commands.move(lost, 'queued', 'sent')

  const again = await at.start({}, { resume: session })
  expect(again.session).toBe(session)
  expect((await at.until(asked, 'done')).reason).toBeUndefined()
  expect((await at.until(lost, 'refused')).reason).toMatch(/may not have reached the agent/)
  await at.until(waits, 'done')
  expect(await at.heard()).toEqual(['say once', 'tool execute date', 'say later'])
  // The ask of the killed host is withdrawn, and a late answer is refused.
  expect(await ledger.asks.pending(key)).toEqual([])
  const { ask } = pending!
  const late = { ask: ask.id, option: ask.options[0]!.id, by: 'person', digest: ask.digest } as const
  expect(await ledger.asks.answer(key, late)).toMatchObject({ won: false, answer: { by: 'cancel' } })
})

it.concurrent('restarts a crashed agent once, and continues the session', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start()
  const { session } = host
  const crash = await at.prompt(session, 'say begun\ndie 3')
  const next = await at.prompt(session, 'say next')
  await at.until(next, 'done')
  expect((await at.state(crash)).state).toBe('done')
  expect(await at.words(session)).toEqual(expect.arrayContaining(['begun', 'next']))
  expect((await at.events(session)).filter(({ type }) => type === 'error')).toMatchObject([
    { code: 'crashed' },
  ])

  // A crash between turns is noticed too, and an agent that has worked since may crash once more.
  await at.until(await at.prompt(session, 'die-silently 0'), 'done')
  const after = await at.prompt(session, 'say after')
  await at.until(after, 'done')

  await at.until(await at.prompt(session, 'die 4'), 'done')
  await at.until(await at.prompt(session, 'die 5'), 'done')
  expect(await host.closed).toMatchObject({
    reason: 'crashed',
    error: { message: 'fake exited unexpectedly' },
  })
  const events = await at.events(session)
  expect(events.at(-1)).toMatchObject({ type: 'status', status: 'ended' })
  expect(events.at(-2)).toMatchObject({ type: 'error', code: 'crashed' })
  expect(await at.heard()).toEqual([
    'say begun\ndie 3',
    'say next',
    'die-silently 0',
    'say after',
    'die 4',
    'die 5',
  ])
})

it.concurrent('runs queued prompts after the restart of an agent that died while idle', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const { session } = await at.start({ delays: { 'session/load': 2_000 } })
  process.kill(getAgentPid(session), 'SIGKILL')
  await expect.poll(() => readFileSync(at.record, 'utf8'), soon).toContain('session/load')
  await at.until(await at.prompt(session, 'say hello'), 'done')
  expect(await at.heard()).toEqual(['say hello'])
})

it.concurrent('ends when an agent that cannot load sessions dies while idle', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start({ capabilities: {} })
  const { session } = host
  process.kill(getAgentPid(session), 'SIGKILL')
  expect(await host.closed).toMatchObject({ reason: 'crashed' })
  expect(await attachHost({ remoraHome: at.remoraHome, live: 'l-test' })).toMatchObject({
    gone: { reason: 'crashed' },
  })
  await forgetHost({ remoraHome: at.remoraHome, live: 'l-test' })
  expect(await attachHost({ remoraHome: at.remoraHome, live: 'l-test' })).toEqual({
    gone: { reason: 'killed' },
  })
})

it.concurrent('ends an agent that does not stop, and restarts it', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  const { session } = await at.start()
  const stuck = await at.prompt(session, 'say begun\nhang')
  await expect.poll(() => at.words(session), soon).toContain('begun')
  await at.until(await at.submit(session, { kind: 'cancel' }), 'done')
  await at.until(stuck, 'done')
  await at.until(await at.prompt(session, 'say fine'), 'done')
})

it.concurrent('does not mistake another process with the same pid for a host', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const files = getHostFiles(at.remoraHome, 'l-test')
  mkdirSync(files.folder, { recursive: true })
  writeFileSync(
    files.state,
    JSON.stringify({ pid: process.pid, startTime: 'long ago', socket: '/no/such.sock' }),
  )
  expect(await attachHost({ remoraHome: at.remoraHome, live: 'l-test' })).toEqual({
    gone: { reason: 'killed' },
  })
  const host = await at.start()
  await at.until(await at.prompt(host.session, 'say mine'), 'done')
})

it.concurrent('listens in a temporary folder if the path is too long for a socket', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const deep = join(mkdtempSync('/tmp/rh-'), 'x'.repeat(120))
  onTestFinished(() => rmSync(join(deep, '..'), { recursive: true, force: true }))
  mkdirSync(deep)
  expect(Buffer.byteLength(getHostSocket(deep, 'l-test'))).toBeLessThanOrEqual(100)
  const host = await at.start({}, { remoraHome: deep })
  expect(host.info.state).toBe('idle')
  expect(JSON.parse(readFileSync(getHostFiles(deep, 'l-test').state, 'utf8'))).toMatchObject({
    socket: getHostSocket(deep, 'l-test'),
  })
  await host.end()
})

it.concurrent('removes the files of old hosts', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  const place = (live: string) => getHostFiles(at.remoraHome, live)
  mkdirSync(place('l-old').folder)
  const exit = { reason: 'ended' }
  for (const live of ['l-old', 'l-new']) writeFileSync(place(live).state, JSON.stringify({ pid: 1, exit }))
  utimesSync(place('l-old').state, 1, 1)
  await at.start()
  expect(existsSync(place('l-old').state)).toBe(false)
  expect(existsSync(place('l-new').state)).toBe(true)
})

it.concurrent('reports a ledger that cannot be opened', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  writeFileSync(join(at.remoraHome, 'ledger.db'), 'this is no database, and long enough to be taken for one')
  await expect(at.start()).rejects.toMatchObject({
    message: expect.stringMatching(/ledger/),
    hint: expect.any(String),
  })
})

it.concurrent('listens again when its socket was deleted', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  const host = await at.start()
  host.release()
  rmSync(getHostSocket(at.remoraHome, 'l-test'))
  const again = await at.attach()
  expect(again.session).toBe(host.session)
})

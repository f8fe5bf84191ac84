import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '@remora/sdk'
import { type TestContext, it, vi } from 'vitest'
import { attachHost, startHost } from '../live/acp-driver.ts'
import { HostStage } from './host.test-data.ts'

// Each test starts several processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 })
const soon = { timeout: 60_000 }

function stage(onTestFinished: TestContext['onTestFinished']): HostStage {
  const made = new HostStage()
  onTestFinished(() => made[Symbol.asyncDispose]())
  return made
}

it.concurrent('runs prompts in order, each after the turn before', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  const { session } = await at.start()
  const commands = []
  const first = `until ${at.go}\nsay one`
  for (const text of [first, 'say two', 'say three']) commands.push(await at.prompt(session, text))
  await at.until(commands[0]!, 'sent')
  expect((await at.state(commands[1]!)).state).toBe('queued')
  writeFileSync(at.go, '')
  for (const command of commands) await at.until(command, 'done')
  expect(await at.words(session)).toEqual([`> ${first}`, 'one', '> say two', 'two', '> say three', 'three'])
  expect(await at.heard()).toEqual([first, 'say two', 'say three'])
})

it.concurrent('sends the edited text of a prompt, and no withdrawn prompt', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const { session } = await at.start()
  const ledger = await at.ledger()
  const long = `until ${at.go}\nsay one`
  const first = await at.prompt(session, long)
  const second = await at.prompt(session, 'say two')
  const third = await at.prompt(session, 'say three')
  await at.until(first, 'sent')
  expect(await ledger.commands.move(third, 'queued', 'withdrawn')).toBeDefined()
  const body = { kind: 'prompt', content: [{ type: 'text', text: 'say other' }] } as const
  expect(await ledger.commands.edit(second, { ...body, content: [...body.content] })).toBeDefined()
  writeFileSync(at.go, '')
  await at.until(second, 'done')
  expect(await at.heard()).toEqual([long, 'say other'])
  expect((await at.state(third)).state).toBe('withdrawn')
  expect(await ledger.commands.edit(first, { ...body, content: [...body.content] })).toBeUndefined()
})

it.concurrent('runs commands that were sent before the session id was known', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const early = await at.prompt('l-test', 'say early')
  const { session } = await at.start()
  await at.until(early, 'done')
  const late = await at.prompt('l-test', 'say late')
  expect((await at.until(late, 'done')).target).toEqual({ agent: 'fake', session })
  expect(await at.heard()).toEqual(['say early', 'say late'])
})

it.concurrent('cancels, refuses a cancel without a turn, and continues with queued prompts', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const { session } = await at.start()
  const idle = await at.submit(session, { kind: 'cancel' })
  expect(await at.until(idle, 'refused')).toMatchObject({ reason: 'No turn is running' })
  const long = await at.prompt(session, 'say begun\nwait')
  const next = await at.prompt(session, 'say next')
  await expect.poll(() => at.words(session), soon).toContain('begun')
  const cancel = await at.submit(session, { kind: 'cancel' })
  await at.until(cancel, 'done')
  await at.until(long, 'done')
  await at.until(next, 'done')
  expect((await at.events(session)).filter(({ type }) => type === 'done')).toMatchObject([
    { ok: false, stopReason: 'cancelled' },
    { ok: true },
  ])
})

it.concurrent('waits for the answer of another process, and reports that it is asking', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start()
  const key = { agent: 'fake', session: host.session }
  const stop = new AbortController()
  const states: string[] = []
  const watching = (async () => {
    for await (const { state } of host.changes(stop.signal)) if (states.at(-1) !== state) states.push(state)
  })()
  const prompt = await at.prompt(host.session, 'tool execute date')
  const ledger = await at.ledger()
  await expect.poll(() => ledger.asks.pending(key), soon).toHaveLength(1)
  await expect.poll(() => host.info.state, soon).toBe('asking')
  const [pending] = await ledger.asks.pending(key)
  const { ask } = pending!
  const option = ask.options.find(({ effect }) => effect === 'allow')!.id
  const yes = { ask: ask.id, option, by: 'person', device: 'phone', digest: ask.digest } as const
  expect(await ledger.asks.answer(key, yes)).toMatchObject({ won: true })
  await at.until(prompt, 'done')
  expect(await at.words(host.session)).toContain('chose proceed_once;')
  expect((await at.events(host.session)).find(({ type }) => type === 'answer')).toMatchObject({
    answer: { by: 'person', device: 'phone' },
  })
  await expect.poll(() => states.at(-1), soon).toBe('idle')
  stop.abort()
  await watching
  // A very short state may be skipped.
  expect(states.filter((state) => state !== 'working')).toEqual(['idle', 'asking', 'idle'])
})

it.concurrent('answers by rules before a person is asked, and denies after the timeout', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const rules = [
    { decide: 'allow', command: 'echo *' },
    { decide: 'deny', command: 'rm *' },
  ]
  writeFileSync(join(at.remoraHome, 'policies.json'), JSON.stringify({ rules, timeoutSeconds: 1 }))
  const { session } = await at.start()
  for (const text of ['tool execute rm notes', 'tool execute echo hello', 'tool execute date'])
    await at.until(await at.prompt(session, text), 'done')
  const answers = (await at.events(session)).flatMap((event) =>
    event.type === 'answer' ? [event.answer] : [],
  )
  expect(answers).toMatchObject([
    { option: 'cancel', by: 'policy', device: 'rule 2, deny rm *' },
    { option: 'proceed_once', by: 'policy', device: 'rule 1, allow echo *' },
    { option: 'cancel', by: 'timeout' },
  ])
})

const choices = {
  modes: {
    currentModeId: 'default',
    availableModes: [
      { id: 'default', name: 'Default' },
      { id: 'plan', name: 'Plan' },
    ],
  },
  models: {
    currentModelId: 'small',
    availableModels: [
      { modelId: 'small', name: 'Small' },
      { modelId: 'large', name: 'Large' },
    ],
  },
}

it.concurrent('changes mode and model, and refuses unknown ones', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  const host = await at.start(choices)
  const { session } = host
  expect(host.info).toMatchObject({ state: 'idle', mode: 'default', model: 'small' })
  expect(host.info.modes).toEqual(choices.modes.availableModes)
  await at.until(await at.submit(session, { kind: 'mode', mode: 'plan' }), 'done')
  await at.until(await at.submit(session, { kind: 'model', model: 'large' }), 'done')
  await expect.poll(() => host.info, soon).toMatchObject({ mode: 'plan', model: 'large' })
  const wrong = await at.until(await at.submit(session, { kind: 'mode', mode: 'wild' }), 'refused')
  expect(wrong.reason).toMatch(/offers no mode "wild".*default, plan/)
  const told = (await at.events(session)).filter(
    (event) => event.type === 'status' && (event.status === 'mode' || event.status === 'model'),
  )
  expect(told).toMatchObject([{ value: 'default' }, { value: 'plan' }, { value: 'large' }])
  // Changes by the agent itself are reported too.
  await at.until(await at.prompt(session, 'mode default'), 'done')
  await expect.poll(() => host.info.mode, soon).toBe('default')
})

it.concurrent('refuses a prompt that the agent cannot take with the reason, and continues', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const { session } = await at.start({ capabilities: { loadSession: true, promptCapabilities: {} } })
  const image = await at.submit(session, {
    kind: 'prompt',
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
  })
  expect((await at.until(image, 'refused')).reason).toMatch(/takes no image/)
  await at.until(await at.prompt(session, 'say fine'), 'done')
  expect(await at.heard()).toEqual(['say fine'])
})

it.concurrent('ends on request, with its agent and all child processes', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start({ stays: true })
  const { session } = host
  await at.until(await at.prompt(session, 'children detached'), 'done')
  const [, child] = /child (\d+)/.exec((await at.words(session)).join(' '))!
  const long = await at.prompt(session, 'wait')
  await at.until(long, 'sent')
  const waits = await at.prompt(session, 'say never')
  const end = await at.submit(session, { kind: 'end' })
  expect(await host.closed).toEqual({ reason: 'ended' })
  expect((await at.state(end)).state).toBe('done')
  expect((await at.state(long)).state).toBe('done')
  expect(await at.state(waits)).toMatchObject({ state: 'refused', reason: 'The session ended' })
  expect(await isRunning({ pid: Number(child) })).toBe(false)
  expect(await isRunning({ pid: host.pid })).toBe(false)
  expect((await at.events(session)).at(-1)).toMatchObject({ type: 'status', status: 'ended' })
  expect(await attachHost({ remoraHome: at.remoraHome, live: 'l-test' })).toEqual({
    gone: { reason: 'ended' },
  })
  expect(existsSync(join(at.remoraHome, 'hosts', 'l-test.json'))).toBe(false)
  expect(existsSync(join(at.remoraHome, 'hosts', 'l-test.sock'))).toBe(false)
})

it.concurrent('ends at SIGTERM, and when the state folder was removed', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start({ stays: true })
  process.kill(host.pid, 'SIGTERM')
  expect(await host.closed).toEqual({ reason: 'ended' })
  expect((await at.events(host.session)).at(-1)).toMatchObject({ type: 'status', status: 'ended' })
  const other = await at.start({}, { live: 'l-other' })
  rmSync(join(at.remoraHome, 'hosts'), { recursive: true })
  await other.closed
  expect(await isRunning({ pid: other.pid })).toBe(false)
})

it.concurrent('fails with the error message of the agent', async ({ expect, onTestFinished }) => {
  const at = stage(onTestFinished)
  const { command: _, ...withoutCommand } = at.options()
  await expect(at.start({}, { command: { command: '/no/such/agent', id: 'fake' } })).rejects.toMatchObject({
    code: 'agent_missing',
  })
  await expect(
    at.start({ replies: { 'session/new': { error: { code: -32000, message: 'Please log in' } } } }),
  ).rejects.toMatchObject({
    code: 'auth',
    hint: expect.stringContaining('Sign in'),
  })
  const authMethods = [{ id: 'key', name: 'A key' }]
  const demanding = { signIn: 'key', authMethods }
  await expect(at.start(demanding)).rejects.toMatchObject({ code: 'auth', signIn: authMethods })
  await expect(at.start({}, { request: { cwd: '/no/such/folder' } })).rejects.toMatchObject({
    message: expect.stringContaining('/no/such/folder'),
  })
  await expect(
    startHost({ ...withoutCommand, request: { agent: 'gemini', cwd: '/', effort: 'high' } }),
  ).rejects.toMatchObject({ code: 'unsupported' })
  const stop = new AbortController()
  const starting = at.start({ delays: { 'session/new': 20_000 } }, { signal: stop.signal })
  setTimeout(() => stop.abort(), 1_000)
  await expect(starting).rejects.toMatchObject({ code: 'aborted' })
  // Afterwards another host can start.
  const { session } = await at.start(demanding, { request: { signIn: 'key' } })
  await at.until(await at.prompt(session, 'say there'), 'done')
})

it.concurrent('is the only host of its session, with private files and socket', async ({
  expect,
  onTestFinished,
}) => {
  const at = stage(onTestFinished)
  const host = await at.start()
  await expect(at.start()).rejects.toMatchObject({ code: 'conflict' })
  // Also when two start at once.
  const both = await Promise.allSettled([at.start({}, { live: 'l-two' }), at.start({}, { live: 'l-two' })])
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const name of ['l-test.json', 'l-test.state.json', 'l-test.sock'])
    expect(statSync(join(at.remoraHome, 'hosts', name)).mode & 0o777, name).toBe(0o600)
  expect(statSync(join(at.remoraHome, 'logs', 'host-l-test.log')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(at.remoraHome, 'hosts', 'l-test.json'), 'utf8')).not.toContain('PATH')
  expect(await isRunning({ pid: host.pid })).toBe(true)
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '@remora/protocol'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Home, createHome, pinned } from '../../../../testkit/src/index.ts'
import { type RunningServer, startServer } from '../start-server.ts'
import type { ApprovalChange, PendingAsk } from '../core/approvals.ts'

let model: ScriptedModel
let home: Home
let state: string
let server: RunningServer
beforeAll(async () => {
  model = await startScriptedModel()
  home = await createHome('claude', { model })
  // Short, because the path of a socket is limited.
  state = mkdtempSync('/tmp/ra-')
  server = await startServer({
    remoraHome: state,
    env: { ...home.env, CLAUDE_CLI_PATH: pinned('claude').path },
    home: home.path,
    version: '0.0.0',
    port: 0,
    log: () => {},
  })
})
afterAll(async () => {
  for (const { id, agent, session } of server.context.live.list())
    await server.context.live
      .submit({ id: `end ${id}`, client: 'test', target: { agent, session }, body: { kind: 'end' } })
      .catch(() => {})
  const going = () => server.context.live.list().filter((each) => each.state !== 'ended').length
  await vi.waitUntil(() => going() === 0, { timeout: 120_000 })
  await server.close()
  await home.remove()
  await model.close()
  rmSync(state, { recursive: true, force: true })
}, 180_000)

// A busy machine may need minutes to start an agent.
const patience = { timeout: 120_000, interval: 100 }

it('lets a phone, the keyboard and a rule answer requests of Claude by hook and dialog', async () => {
  const { live, approvals, ledger } = server.context
  const heard: ApprovalChange[] = []
  approvals.on((change) => heard.push(change))
  const { id } = await live.start({
    agent: 'claude',
    cwd: home.cwd,
    channel: 'terminal',
    mode: 'default',
  })
  const now = () => live.list().find((each) => each.id === id)!
  await expect.poll(() => now().state, patience).toBe('idle')
  let count = 0
  const prompt = async (text: string): Promise<void> => {
    const { agent, session } = now()
    const body = { kind: 'prompt' as const, content: [{ type: 'text' as const, text }] }
    await live.submit({ id: `p${count++}`, client: 'test', target: { agent, session }, body })
  }
  const asking = async (): Promise<PendingAsk> => {
    await expect.poll(() => approvals.pending(), patience).toHaveLength(1)
    return (await approvals.pending())[0]!
  }
  const createAnswer = ({ ask }: PendingAsk, effect: string): Answer => ({
    ask: ask.id,
    option: ask.options.find((option) => option.effect === effect)!.id,
    by: 'person',
    device: 'phone',
    digest: ask.digest,
  })
  const idle = async () => {
    await expect.poll(() => now().state, patience).toBe('idle')
  }

  const readStatus = async (command: string): Promise<string | undefined> => {
    const calls = await ledger.calls({ limit: 100 })
    return calls.find(({ input }) => (input as { command?: string }).command === command)?.status
  }

  // Through the hook, which knows the command exactly.
  await prompt('RUN: touch allowed.txt')
  const first = await asking()
  expect(first.ask).toMatchObject({ kind: 'permission', tool: 'Bash', exact: true })
  expect(first.ask.input).toMatchObject({ command: 'touch allowed.txt' })
  expect(await approvals.answer(first, createAnswer(first, 'allow'))).toMatchObject({
    won: true,
    effect: 'done',
  })
  await expect.poll(() => home.files(), patience).toContain('allowed.txt')
  await idle()

  await prompt('RUN: touch denied.txt')
  const second = await asking()
  expect(await approvals.answer(second, createAnswer(second, 'deny'))).toMatchObject({
    won: true,
    effect: 'done',
  })
  await idle()
  expect(await home.files()).not.toContain('denied.txt')

  // The turn has ended, as it does after "No" in the dialog, and the call is denied.
  await expect.poll(() => readStatus('touch denied.txt'), patience).toBe('denied')
  const requests = model.requests.filter(
    ({ kind, prompt }) => kind === 'turn' && prompt === 'RUN: touch denied.txt',
  )
  expect(requests).toHaveLength(1)

  // At the keyboard: the other clients are notified.
  await prompt('RUN: touch typed.txt')
  const third = await asking()
  // Claude 2.1.326 drops a key right after it opens a dialog, so the key is pressed again.
  const press = async () => {
    if (live.terminal(id)!.now.ask) await live.terminal(id)!.press({ key: 'Enter' })
    return home.files()
  }
  await expect.poll(press, { ...patience, interval: 2_000 }).toContain('typed.txt')
  await expect
    .poll(() => heard.at(-1), patience)
    .toMatchObject({ type: 'settled', answer: { ask: third.ask.id, by: 'terminal', inferred: 'allow' } })
  expect(await approvals.answer(third, createAnswer(third, 'deny'))).toMatchObject({
    won: false,
    answer: { by: 'terminal' },
  })
  await idle()

  // By a rule, before a person is asked.
  const rules = [{ decide: 'allow', agent: 'claude', command: 'touch ruled*' }]
  writeFileSync(join(state, 'policies.json'), JSON.stringify({ rules }))
  const before = heard.filter(({ type }) => type === 'ask').length
  await prompt('RUN: touch ruled.txt')
  await expect.poll(() => home.files(), patience).toContain('ruled.txt')
  await idle()
  expect(heard.filter(({ type }) => type === 'ask')).toHaveLength(before)

  // The first process that reads the new rules records them.
  await expect.poll(async () => (await ledger.audit.read()).length, patience).toBe(5)
  const audit = await ledger.audit.read()
  expect(audit.filter(({ what }) => what === 'answer').map(({ who }) => who)).toEqual([
    'person, phone',
    'person, phone',
    'terminal',
    'policy, rule 1, allow touch ruled*',
  ])
  expect(audit.find(({ what }) => what === 'policy')?.who).toMatch(/, policies\.json$/)
  expect(await ledger.audit.verify()).toEqual({ entries: 5 })
  // No hook was left behind.
  await expect.poll(() => server.context.hooks?.waiting(id), patience).toBe(0)
}, 600_000)

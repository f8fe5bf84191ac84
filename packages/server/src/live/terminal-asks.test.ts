import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLedger } from '@remora/ledger'
import { findAgent } from '@remora/sdk'
import { startTerminal } from '@remora/sdk/terminal'
import type { Ask } from '@remora/protocol'
import { expect, it, vi } from 'vitest'
import { createAskRecord } from '../approvals/ask-events.ts'
import { ServerApprovals } from '../approvals/server-approvals.ts'
import type { LiveRecord } from './live-record.ts'
import type { HookReply } from '../approvals/waiting-hooks.ts'
import { type HookFinder, TerminalAsks } from './terminal-asks.ts'

const command = fileURLToPath(new URL('fake-gemini.test-data.mjs', import.meta.url))

/** An agent on a terminal and its asks, without a live session. */
async function stage() {
  const folder = await mkdtemp('/tmp/rq-')
  const cwd = join(folder, 'work')
  await mkdir(cwd)
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  const approvals = new ServerApprovals({ ledger, log: () => {} })
  const agent = findAgent('gemini')!
  const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' }
  const socket = join(folder, 'tmux.sock')
  const terminal = await startTerminal(agent, { cwd, env, socket, name: 'x', command, version: '0.61.0' })
  const record: LiveRecord = {
    id: 'l-test',
    agent: 'gemini',
    session: 's',
    channel: 'terminal',
    cwd,
    startedAt: Date.now(),
    adopted: false,
  }
  const asks = new TerminalAsks(ledger, approvals, { record, terminal })
  const over = new AbortController()
  const watching = (async () => {
    for await (const _ of terminal.watch(over.signal)) await asks.see()
  })()
  const opened: string[] = []
  approvals.on((change) => {
    if (change.type === 'ask') opened.push(change.ask.id)
  })
  return {
    ledger,
    approvals,
    terminal,
    asks,
    opened,
    async [Symbol.asyncDispose]() {
      over.abort()
      await watching
      await terminal.end()
      await approvals.close()
      await ledger.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

function waitForAsk(approvals: ServerApprovals) {
  return vi.waitFor(async () => {
    const pending = await approvals.pending()
    expect(pending).toHaveLength(1)
    return pending[0]!
  }, 40_000)
}

/** A hook that waits for one call. */
function createHook(command: string, answer: HookReply['answer']): HookFinder {
  const more = { tool: 'Bash', input: { command }, exact: true as const }
  const soon = async () => ({ more, answer, unclaim: () => {}, end: () => {} })
  return { soon, now: () => undefined }
}

it('does not ask again while a dialog closes that its hook has answered', async () => {
  await using live = await stage()
  const { asks, approvals, terminal, opened } = live
  // Claude closes the dialog a moment after its hook has answered.
  asks.hook = createHook('touch kiwi-1', async () => {
    setTimeout(() => void terminal.press({ text: '1' }), 400)
    return 'done'
  })
  await terminal.send('ask kiwi')
  const { ask, ...key } = await waitForAsk(approvals)
  const answer = { ask: ask.id, option: 'allow', by: 'person' as const, digest: ask.digest }
  expect(await approvals.answer(key, answer)).toMatchObject({ won: true, effect: 'done' })
  await vi.waitFor(() => expect(terminal.now.state).toBe('idle'), 40_000)
  await sleep(300)
  expect(opened).toEqual([ask.id])
})

it('opens no ask for a dialog that was answered at the keyboard while waiting for its hook', async () => {
  await using live = await stage()
  const { asks, terminal, opened, ledger } = live
  const soon = async () => {
    await terminal.press({ text: '1' })
    await vi.waitFor(() => expect(terminal.now.state).toBe('idle'), 40_000)
    return undefined
  }
  asks.hook = { soon, now: () => undefined }
  await terminal.send('ask lime')
  await vi.waitFor(() => expect(terminal.now.state).toBe('idle'), 40_000)
  await sleep(300)
  expect(opened).toEqual([])
  expect(await ledger.asks.pending()).toEqual([])
})

it('presses the key of a denial, since one by hook would interrupt a call that a faster key has allowed', async () => {
  await using live = await stage()
  const { asks, approvals, terminal } = live
  const answered: string[] = []
  asks.hook = createHook('touch fig-1', async (effect) => {
    answered.push(effect)
    return 'done'
  })
  await terminal.send('ask fig')
  const { ask, ...key } = await waitForAsk(approvals)
  const denied = { ask: ask.id, option: 'deny', by: 'person' as const, digest: ask.digest }
  expect(await approvals.answer(key, denied)).toMatchObject({ won: true, effect: 'done' })
  await vi.waitFor(() => expect(terminal.now.state).toBe('idle'), 40_000)
  expect(terminal.screen().lines.join('\n')).toContain('Request cancelled')
  expect(answered).toEqual([])
})

it('denies by hook if the dialog was redrawn while its key was pressed', async () => {
  await using live = await stage()
  const { asks, approvals, terminal } = live
  const answered: string[] = []
  asks.hook = createHook('touch pear-1', async (effect) => {
    answered.push(effect)
    await terminal.press({ text: '3' })
    return 'done'
  })
  vi.spyOn(terminal, 'answer').mockResolvedValueOnce('gone')
  await terminal.send('ask pear')
  const { ask, ...key } = await waitForAsk(approvals)
  const denied = { ask: ask.id, option: 'deny', by: 'person' as const, digest: ask.digest }
  expect(await approvals.answer(key, denied)).toMatchObject({ won: true, effect: 'done' })
  expect(answered).toEqual(['deny'])
})

it('lets no rule press a key on a dialog whose hook is gone', async () => {
  await using live = await stage()
  const { asks, approvals, terminal, ledger } = live
  asks.hook = createHook('touch plum-1', async () => 'gone')
  await terminal.send('ask plum')
  const { ask, ...key } = await waitForAsk(approvals)
  const answer = { ask: ask.id, option: 'allow', by: 'policy' as const, digest: ask.digest }
  expect(await approvals.answer(key, answer)).toMatchObject({ won: true, effect: 'gone' })
  expect(terminal.now.state).toBe('asking')
  // Now the ask waits for a person.
  await vi.waitFor(async () => expect(await ledger.asks.pending()).toHaveLength(1), 40_000)
})

it('keeps the id of an ask whose dialog is redrawn in another size', async () => {
  await using live = await stage()
  const { approvals, terminal, opened, ledger } = live
  await terminal.send('ask mango')
  await vi.waitFor(async () => expect(await approvals.pending()).toHaveLength(1), 40_000)
  for (const columns of [70, 100, 64]) {
    await terminal.resize(columns, 40)
    await vi.waitFor(() => expect(terminal.screen().columns).toBe(columns), 40_000)
    await vi.waitFor(() => expect(terminal.now.ask).toBeDefined(), 40_000)
    await live.asks.see()
  }
  expect(new Set(opened).size).toBe(1)
  expect(await ledger.audit.read()).toEqual([])
})

it('withdraws a request whose dialog disappears without evidence of an answer', async () => {
  await using live = await stage()
  const { approvals, terminal, ledger } = live
  await terminal.send('ask papaya')
  await vi.waitFor(async () => expect(await approvals.pending()).toHaveLength(1), 40_000)
  // This ledger has no records of the agent: nothing shows what the key did.
  await terminal.press({ text: '1' })
  await vi.waitFor(async () => expect(await ledger.asks.pending()).toEqual([]), 40_000)
  const entries = await ledger.audit.read()
  expect(entries).toMatchObject([{ what: 'answer', who: 'cancel', detail: { answer: { by: 'cancel' } } }])
  expect((entries[0]!.detail as { answer: object }).answer).not.toHaveProperty('option')
})

it('finds the outcome of a request that vanished while no server ran', async () => {
  await using live = await stage()
  const { asks, approvals, ledger } = live
  const key = { agent: 'gemini', session: 's' }
  const options = [{ id: 'allow', label: 'Allow once', effect: 'allow' as const }]
  const leave = async (command: string, at: number) => {
    const ask: Ask = {
      id: `l-test/ask/${command}`,
      kind: 'permission',
      title: 'Shell',
      body: command,
      tool: 'Bash',
      options,
      digest: command,
    }
    await ledger.asks.open(key, ask)
    const [event] = createAskRecord(key, ask).events
    await ledger.append([{ events: [{ ...event!, at }] }])
    return ask.id
  }
  const run = async (command: string, at: number, status: 'success' | 'denied') => {
    const common = { ...key, entity: `call ${command}`, at }
    const origin = { channel: 'transcripts' as const, source: 'file', key: `${command} ${status}` }
    await ledger.append([
      {
        events: [
          { ...common, type: 'tool_use', name: 'Bash', input: { command }, origin },
          {
            ...common,
            type: 'tool_result',
            status,

            origin: { ...origin, key: `${command} end` },
          },
        ],
      },
    ])
  }
  const allowed = await leave('touch allowed', 1_000)
  const denied = await leave('touch denied', 1_000)
  const unknown = await leave('touch unknown', 3_000)
  await run('touch allowed', 2_000, 'success')
  await run('touch denied', 2_000, 'denied')
  // The same command ran before this request.
  await run('touch unknown', 2_000, 'success')
  await asks.begin(live.terminal.now)
  await vi.waitFor(async () => expect(await ledger.asks.pending()).toEqual([]), 40_000)
  const find = async (id: string) => (await ledger.asks.find(key, id))?.answer
  expect(await find(allowed)).toMatchObject({ by: 'terminal', inferred: 'allow' })
  expect(await find(denied)).toMatchObject({ by: 'terminal', inferred: 'deny' })
  expect(await find(unknown)).toMatchObject({ by: 'cancel' })
  expect(await approvals.pending()).toEqual([])
})

it('offers only the request that is shown while the outcome of an earlier one is unknown', async () => {
  await using live = await stage()
  const { approvals, terminal, opened } = live
  const withdrawn: string[] = []
  approvals.on((change) => {
    if (change.type === 'settled') withdrawn.push(change.answer.ask)
  })
  await terminal.send('ask peach')
  await vi.waitFor(() => expect(opened).toHaveLength(1), 40_000)
  await terminal.press({ text: '1' })
  await vi.waitFor(() => expect(terminal.now.state).toBe('idle'), 40_000)
  await terminal.send('ask quince')
  await vi.waitFor(() => expect(withdrawn).toEqual(opened.slice(0, 1)), 40_000)
  await vi.waitFor(() => expect(opened).toHaveLength(2), 40_000)
  expect((await approvals.pending()).map(({ ask }) => ask.id)).toEqual(opened.slice(1))
})

it('joins a hook that arrives long after its dialog', async () => {
  await using live = await stage()
  const { asks, approvals, terminal, opened } = live
  await terminal.send('ask grape')
  await vi.waitFor(async () => expect(await approvals.pending()).toHaveLength(1), 40_000)
  const late = await createHook('touch grape-1', async () => 'done').soon(terminal.now.ask!)
  asks.hook = { soon: async () => undefined, now: () => late }
  await asks.see()
  const { ask } = (await approvals.pending())[0]!
  expect(ask).toMatchObject({ exact: true, tool: 'Bash', input: { command: 'touch grape-1' } })
  expect(new Set(opened)).toEqual(new Set([ask.id]))
})

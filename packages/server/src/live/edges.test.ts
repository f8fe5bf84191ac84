import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Lease, openLedger } from '@remora/ledger'
import type { Command, CommandBody, LiveInfo } from '@remora/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { isAlive } from '../../../sdk/src/channels/terminal/process-list.ts'
import { listWorktrees } from '../git/worktrees.ts'
import type { LiveRecord } from './live-record.ts'
import { type Stage, openLiveStage } from './live.test-data.ts'
import { getTmuxSocket } from './open-terminal.ts'

describe('live sessions, when something goes wrong', { timeout: 120_000 }, () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openLiveStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const live = () => stage.server.context.live
  const ledger = () => stage.server.context.ledger
  const approvals = () => stage.server.context.approvals
  const records = () => stage.server.context.store.collection<LiveRecord>('live')
  const now = ({ id }: LiveInfo) => live().find(id)!
  const getKey = (info: LiveInfo) => ({ agent: 'gemini', session: now(info).session })
  const prompt = (text: string): CommandBody => ({ kind: 'prompt', content: [{ type: 'text', text }] })
  const prompts = async () => (await stage.noted()).flatMap((each) => each.prompt ?? [])
  const idle = (info: LiveInfo) =>
    stage.until('idle', () => live().find(info.id)?.state === 'idle' && now(info).queued === 0)
  const asked = () => stage.until('an ask', async () => (await approvals().pending())[0])
  let count = 0
  const submit = (info: LiveInfo, body: CommandBody) =>
    live().submit({ id: `c${++count}`, client: 'edges', target: getKey(info), body })
  const getCommand = async ({ id, client }: Pick<Command, 'id' | 'client'>) =>
    (await ledger().commands.list()).find((each) => each.id === id && each.client === client)
  const end = async (info: LiveInfo) => {
    await submit(info, { kind: 'end' })
    await stage.until('the end', () => now(info).state === 'ended')
  }
  const sessions = () => {
    try {
      return stage.tmux('list-sessions', '-F', '#{session_name}')
    } catch {
      return ''
    }
  }

  it('leave no dead pane behind when the agent ends by itself', async () => {
    const info = await stage.start()
    await idle(info)
    const { pid } = live().terminal(info.id)!
    process.kill(pid, 'SIGKILL')
    await stage.until('the end', () => now(info).state === 'ended')
    await stage.until('the pane is gone', () => !sessions().includes(info.id))
    expect(isAlive(pid)).toBe(false)
  })

  it('report why an agent could not start', async () => {
    const info = await stage.start({ args: ['--not-known'], prompt: 'never sent' })
    await stage.until('the end', () => now(info).state === 'ended')
    expect(now(info).detail).toContain('Unknown argument: not-known')
    const { events } = await ledger().read({ session: getKey(info) })
    expect(events.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: 'error', message: expect.stringContaining('not-known') as string }),
    )
    expect(await getCommand({ id: 'first', client: info.id })).toMatchObject({ state: 'refused' })
    await stage.until('nothing is kept of it', async () => !(await records().all()).has(info.id))
  })

  it('are restored with their first prompt when the server was killed while starting them', async () => {
    const info = await stage.start()
    await idle(info)
    const { terminal: _, ...record } = (await records().get(info.id))!
    await stage.restart(async ({ store, ledger }) => {
      await store.collection<LiveRecord>('live').put(info.id, record)
      const target = { agent: 'gemini', session: info.id }
      const body = prompt('sent by the next server')
      await ledger.commands.submit({
        id: 'first',
        client: 'x',
        target,
        body,
        state: 'queued',
        at: Date.now(),
      })
    })
    await stage.until('the prompt', async () => (await prompts()).includes('sent by the next server'))
    expect(now(info)).toMatchObject({ session: info.session })
    await idle(info)
    await end(info)
  })

  it('accept a prompt at once after a restart, and repeat interrupted commands', async () => {
    const info = await stage.start({ prompt: 'arrived before' })
    await stage.until('it came', async () => (await prompts()).includes('arrived before'))
    await idle(info)
    const target = getKey(info)
    const left = { client: 'left', target, state: 'sent' as const, at: info.startedAt }
    await stage.restart(async ({ ledger }) => {
      await ledger.commands.submit({ ...left, id: 'arrived', body: prompt('arrived before') })
      await ledger.commands.submit({ ...left, id: 'cancel', body: { kind: 'cancel' } })
    })
    const command = await live().submit({ id: 'soon', client: 'edges', target, body: prompt('at once') })
    expect(command).toMatchObject({ state: 'queued' })
    await stage.until('the prompt', async () => (await prompts()).includes('at once'))
    expect(await getCommand({ id: 'arrived', client: 'left' })).toMatchObject({ state: 'done' })
    expect(await getCommand({ id: 'cancel', client: 'left' })).toMatchObject({ state: 'refused' })
    await idle(info)
    await stage.restart(async ({ ledger }) => {
      await ledger.commands.submit({ ...left, id: 'end', body: { kind: 'end' } })
    })
    await stage.until('the end', () => now(info)?.state === 'ended')
    expect(await getCommand({ id: 'end', client: 'left' })).toMatchObject({ state: 'done' })
  })

  it('continue when the ledger could not be written for a moment', async () => {
    const info = await stage.start()
    await idle(info)
    const { append } = ledger()
    const broken = vi
      .spyOn(ledger(), 'append')
      .mockImplementation(() => Promise.reject(new Error('disk full')))
    stage.tmux('send-keys', '-t', `remora-${info.id}`, '-l', 'slow')
    stage.tmux('send-keys', '-t', `remora-${info.id}`, 'Enter')
    await stage.until('trouble', () => stage.logged.some((line) => line.includes('disk full')))
    broken.mockRestore()
    expect(ledger().append).toBe(append)
    await stage.until('its state', async () => {
      const { events } = await ledger().read({ session: getKey(info) })
      return events.some(({ event }) => event.type === 'status' && event.status === 'working')
    })
    expect(now(info).state).toBe('working')
    await end(info)
  })

  it('get the next prompt after an error', async () => {
    const info = await stage.start({ prompt: 'fail' })
    await stage.until('an error', () => now(info).state === 'error')
    await submit(info, prompt('after the error'))
    await stage.until('the prompt', async () => (await prompts()).includes('after the error'))
    await idle(info)
    expect(now(info).queued).toBe(0)
    await end(info)
  })

  it('show the end of a turn that no reading of the screen saw, also after a restart', async () => {
    const info = await stage.start()
    await idle(info)
    const { since } = now(info)
    const command = await submit(info, prompt('quick'))
    await stage.until('the end of the turn', async () => (await getCommand(command))?.state === 'done')
    await stage.until('a later time', () => now(info).since > since)
    expect(now(info).since).toBeGreaterThanOrEqual(command.at)
    const end = now(info).since
    await stage.restart()
    await idle(info)
    expect(now(info).since).toBe(end)
    await submit(info, { kind: 'end' })
    await stage.until('the end', () => now(info).state === 'ended')
  })

  it('get slash commands that are sent as blocks', async () => {
    const info = await stage.start()
    await idle(info)
    await submit(info, { kind: 'prompt', content: [{ type: 'slash_command', command: 'help', args: 'me' }] })
    await stage.until('the prompt', async () => (await prompts()).includes('/help me'))
    await idle(info)
    expect(await prompts()).toContain('/help me')
    await end(info)
  })

  it('keep their ask while the window is resized', async () => {
    const info = await stage.start({ prompt: 'ask fig' })
    const { ask, ...key } = await asked()
    for (const width of ['100', '90', '110']) {
      stage.tmux('resize-window', '-t', `remora-${info.id}`, '-x', width, '-y', '40')
      await sleep(400)
    }
    expect(await ledger().asks.find(key, ask.id)).toEqual({ ask })
    await end(info)
    expect(await ledger().asks.find(key, ask.id)).toMatchObject({ answer: {} })
  })

  it('are not confused with another conversation in the same folder', async () => {
    const info = await stage.start({ prompt: 'my own words' })
    await idle(info)
    const id = '11111111-2222-4333-8444-555555555555'
    const at = new Date().toISOString()
    const file = join(
      stage.folder,
      '.gemini',
      'tmp',
      'work',
      'chats',
      `session-${at.slice(0, 10)}T00-00-${id.slice(0, 8)}.jsonl`,
    )
    const lines = [
      { sessionId: id, projectHash: 'x', startTime: at, lastUpdated: at, kind: 'main' },
      // Part of "Shift+Tab", which every screen shows.
      { id: 'u', timestamp: at, type: 'user', content: [{ text: 'hi' }] },
    ]
    await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await stage.until(
      'it is known',
      async () => (await ledger().session({ agent: 'gemini', session: id }))?.firstPrompt,
    )
    await sleep(700)
    expect(now(info).session).toBe(info.session)
    await end(info)
  })

  it('are resumed by only one of two concurrent requests', async () => {
    const info = await stage.start({ prompt: 'to be resumed' })
    await idle(info)
    const resume = now(info).session
    await end(info)
    const both = await Promise.allSettled([stage.start({ resume }), stage.start({ resume })])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [held] = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await expect(stage.start({ resume })).rejects.toMatchObject({ code: 'conflict' })
    await stage.until('idle', () => now(held!).state === 'idle')
    await end(held!)
  })

  it('leave no worktree behind when they fail to start', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: stage.cwd })
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '-m', 'first')
    await expect(stage.start({ agent: 'codex', worktree: 'mine' })).rejects.toMatchObject({
      code: 'agent_missing',
    })
    expect(await listWorktrees(stage.remoraHome)).toEqual([])
    const info = await stage.start({ worktree: 'mine' })
    await stage.until('idle', () => now(info).state === 'idle')
    await end(info)
  })

  /** An agent that a user started in their own tmux. */
  async function ownAgent(): Promise<{ tmux(...args: string[]): string } & AsyncDisposable> {
    const folder = join(stage.folder, `tmux-${process.getuid!()}`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const program = join(stage.folder, 'gemini.mjs')
    await writeFile(
      program,
      `process.argv[1] = ${JSON.stringify(program)}\nawait import(${JSON.stringify(stage.env['GEMINI_CLI_PATH'])})\n`,
    )
    const tmux = (...args: string[]) =>
      execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'default'), ...args], {
        env: stage.env,
        cwd: stage.cwd,
      }).toString()
    tmux('new-session', '-d', '-x', '120', '-y', '40', process.execPath, program)
    await stage.until('the agent is ready', () => tmux('capture-pane', '-p').includes('Type your message'))
    const pid = Number(tmux('display-message', '-p', '#{pid}'))
    return {
      tmux,
      async [Symbol.asyncDispose]() {
        tmux('kill-server')
        // Otherwise the next test finds the server while it exits.
        await stage.until('its tmux has ended', () => !isAlive(pid))
      },
    }
  }
  const foundOne = () => stage.until('it is found', async () => (await live().adoptable())[0])

  it('are adopted once, and leave nothing open when they are detached', async () => {
    await using _own = await ownAgent()
    const found = await foundOne()
    const both = await Promise.allSettled([live().adopt(found), live().adopt(found)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [info] = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await submit(info!, prompt('ask olive'))
    const { ask, ...key } = await asked()
    const waiting = await submit(info!, prompt('never sent'))
    await live().release(info!.id)
    expect(await ledger().asks.find(key, ask.id)).toMatchObject({ answer: { by: 'cancel' } })
    expect(await getCommand(waiting)).toMatchObject({ state: 'refused' })
    expect(await approvals().pending()).toEqual([])
  })

  it.each([
    ['is still on the screen', ['tell me of plums']],
    ['has scrolled away', ['tell me of figs', 'and dates', 'and quinces', 'and medlars', 'and sorbs']],
  ])('continue the conversation when they are adopted late and its beginning %s', async (_, texts) => {
    await using own = await ownAgent()
    const found = await foundOne()
    for (const text of texts) {
      const before = (await prompts()).length
      own.tmux('send-keys', '-l', text)
      own.tmux('send-keys', 'Enter')
      await stage.until('the prompt', async () => (await prompts()).length > before)
      // The agent takes no Enter while it works.
      await stage.until('the answer', () => own.tmux('capture-pane', '-p').includes(`You said: ${text}`))
    }
    const info = await live().adopt(found)
    await stage.until('its conversation is known', () => now(info).session !== info.id)
    expect(await ledger().session(getKey(info))).toMatchObject({ firstPrompt: texts[0] })
    await live().release(info.id)
  })
})

it('run when the path of the state folder is long and has spaces', async () => {
  const deep = `/tmp/rl-${process.pid} deep/${'a long name '.repeat(10)}`
  await mkdir(deep, { recursive: true })
  // After the end of the server, which writes there until then.
  onTestFinished(() => rm(dirname(deep), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  await using stage = await openLiveStage({ remoraHome: join(deep, 'r') })
  const { live } = stage.server.context
  const info = await stage.start({ prompt: 'hello' })
  await stage.until('the prompt', async () => (await stage.noted()).some((each) => each.prompt === 'hello'))
  await live.submit({ id: 'end', client: 'x', target: live.find(info.id)!, body: { kind: 'end' } })
  await stage.until('the end', () => live.find(info.id)?.state === 'ended')
  expect(getTmuxSocket(join(deep, 'r')).length).toBeLessThan(100)
}, 120_000)

it('are detached by a server that another one has replaced', async () => {
  await using stage = await openLiveStage({ follow: false })
  const info = await stage.start()
  const other = await openLedger({ file: join(stage.remoraHome, 'ledger.db') })
  const mine = await other.leases.find('server')
  await other.leases.release(mine!.lease)
  const taken = await other.leases.take('server', { what: 'another server' }, 60_000)
  await stage.until('it has ended', () =>
    fetch(`${stage.server.url}/health`).then(
      () => false,
      () => true,
    ),
  )
  await stage.server.close()
  expect(stage.logged.join('')).toContain('Another server has taken over')
  expect(stage.tmux('list-sessions')).toContain(info.id)
  await other.leases.release(taken as Lease)
  await other.close()
}, 120_000)

it('sends a prompt once that a killed server had pasted without Enter', async () => {
  await using stage = await openLiveStage()
  const info = await stage.start()
  await stage.until('idle', () => stage.server.context.live.find(info.id)?.state === 'idle')
  await stage.server.close()
  const target = { agent: info.agent, session: info.session }
  const ledger = await openLedger({ file: join(stage.remoraHome, 'ledger.db') })
  const put = (id: string, text: string) =>
    ledger.commands.submit({
      id,
      client: 'phone',
      target,
      body: { kind: 'prompt', content: [{ type: 'text', text }] },
      state: 'queued',
      at: Date.now(),
    })
  await ledger.commands.move(await put('half', 'half of it, and the rest'), 'queued', 'sent')
  await put('next', 'what comes after')
  stage.tmux('set-buffer', 'half of it, and the rest')
  stage.tmux('paste-buffer', '-p', '-t', `remora-${info.id}`)
  await stage.restart()
  const states = async () => (await ledger.commands.list({ session: target })).map(({ state }) => state)
  await stage.until('both', async () => (await states()).every((state) => state === 'done'))
  const prompts = (await stage.noted()).map(({ prompt }) => prompt)
  expect(prompts).toEqual(['half of it, and the rest', 'what comes after'])
  await ledger.close()
}, 120_000)

it('presses Enter again when a prompt reappears in the input line, and sends it once', async () => {
  await using stage = await openLiveStage()
  const info = await stage.start()
  await stage.until('idle', () => stage.server.context.live.find(info.id)?.state === 'idle')
  const { ledger, live } = stage.server.context
  const target = { agent: info.agent, session: info.session }
  const body: CommandBody = { kind: 'prompt', content: [{ type: 'text', text: 'shy' }] }
  await live.submit({ id: 'shy', client: 'phone', target, body })
  const states = async () => (await ledger.commands.list({ session: target })).map(({ state }) => state)
  await stage.until('it is done', async () => (await states()).every((state) => state === 'done'))
  expect((await stage.noted()).map(({ prompt }) => prompt)).toEqual(['shy'])
}, 120_000)

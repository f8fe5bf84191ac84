import { setTimeout as sleep } from 'node:timers/promises'
import type { Command, LiveInfo, ServerMessage } from '@remora/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ServerClient, createServerClient } from '../client.ts'
import { type Stage, openLiveStage } from './live.test-data.ts'

/** A server that was restarted while tmux does not answer, so that its session cannot be restored until `resume`. */
interface Restarted {
  readonly stage: Stage
  readonly info: LiveInfo
  readonly client: ServerClient
  resume(): void
  killTmux(): void
}

async function restartWithStoppedTmux(
  options: Parameters<typeof openLiveStage>[0] = {},
  before: (stage: Stage, info: LiveInfo) => Promise<void> = async () => {},
): Promise<Restarted> {
  const stage = await openLiveStage(options)
  onTestFinished(() => stage[Symbol.asyncDispose]())
  const { id } = await stage.start()
  const isIdle = () => stage.server.context.live.find(id)?.state === 'idle'
  await stage.until('the agent is idle', isIdle)
  await before(stage, stage.server.context.live.find(id)!)
  const info = stage.server.context.live.find(id)!
  const tmux = Number(stage.tmux('display-message', '-p', '#{pid}'))
  let isStopped = false
  const resume = (): void => {
    if (isStopped) process.kill(tmux, 'SIGCONT')
    isStopped = false
  }
  onTestFinished(resume)
  await stage.restart(async () => {
    process.kill(tmux, 'SIGSTOP')
    isStopped = true
  })
  const killTmux = (): void => {
    isStopped = false
    process.kill(tmux, 'SIGKILL')
  }
  return { stage, info, client: createServerClient({ remoraHome: stage.remoraHome }), resume, killTmux }
}

async function listLive(client: ServerClient, query = ''): Promise<LiveInfo[]> {
  return (await client.request<{ live: LiveInfo[] }>('GET', `/api/live${query}`)).live
}

/** Continues to read where the last call stopped. */
async function readUntil(
  messages: AsyncIterator<ServerMessage>,
  isWanted: (message: ServerMessage) => boolean,
): Promise<ServerMessage> {
  for (;;) {
    const { value, done } = await messages.next()
    if (done) return expect.fail('The stream ended')
    if (isWanted(value)) return value
  }
}

/** Whether a promise is still pending when everything that is ready has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, sleep(200, pending)])) === pending
}

describe('a restarted server', { timeout: 120_000 }, () => {
  it('lists sessions as restoring and delivers a prompt that arrives meanwhile', async () => {
    const { stage, info, client, resume } = await restartWithStoppedTmux()
    const { id } = info
    expect(await listLive(client)).toMatchObject([{ id, state: 'starting', restoring: true }])
    expect(await client.request('GET', `/api/live/${id}`)).toMatchObject({ id, restoring: true })
    const settled = listLive(client, '?settled=true')
    const sent = client.request<{ command: Command }>('POST', `/api/live/${id}/send`, {
      body: { id: 'p1', text: 'hello again' },
    })
    expect(await isPending(sent)).toBe(true)
    resume()
    expect((await sent).command).toMatchObject({ id: 'p1', state: 'queued' })
    expect(await settled).toMatchObject([{ id, state: 'idle' }])
    expect((await settled)[0]).not.toHaveProperty('restoring')
    await stage.until('the prompt arrived', async () =>
      (await stage.noted()).some(({ prompt }) => prompt === 'hello again'),
    )
  })

  it('waits with every other command for the session that it names', async () => {
    const { stage, info, client, resume } = await restartWithStoppedTmux()
    const { id } = info
    const path = `/api/live/${id}`
    const { request } = client
    const waiting = [
      request('POST', `${path}/cancel`, { body: {} }),
      request('POST', `${path}/mode`, { body: { mode: 'acceptEdits' } }),
      request('POST', `${path}/model`, { body: { model: 'auto' } }),
      request('POST', `${path}/release`, { body: {} }).catch((error: Error) => error.message),
      request('POST', '/api/live', { body: { agent: 'gemini', cwd: stage.cwd, resume: info.session } }).catch(
        (error: Error) => error.message,
      ),
    ]
    for (const each of waiting) expect(await isPending(each)).toBe(true)
    resume()
    const [cancel, mode, model, release, resumed] = await Promise.all(waiting)
    for (const answer of [cancel, mode, model])
      expect(answer).toMatchObject({ command: { target: { session: info.session } } })
    expect(release).toContain('Only adopted agents can be detached')
    expect(resumed).toContain(id)
  })

  it('opens the screen and takes keys and commands of a WebSocket when the session is restored', async () => {
    const { stage, info, client, resume } = await restartWithStoppedTmux()
    const stream = await client.open()
    onTestFinished(() => stream.close())
    const messages = stream[Symbol.asyncIterator]()
    const hello = await readUntil(messages, ({ type }) => type === 'hello')
    expect(hello).toMatchObject({ live: [{ id: info.id, restoring: true }] })
    stream.send({ type: 'screen', live: info.id, on: true })
    stream.send({
      type: 'command',
      id: 'w1',
      target: { agent: info.agent, session: info.session },
      body: { kind: 'prompt', content: [{ type: 'text', text: 'by socket' }] },
    })
    resume()
    const wanted = new Set(['ack', 'screen'])
    const seen: ServerMessage[] = []
    await readUntil(messages, (message) => {
      if (wanted.delete(message.type)) seen.push(message)
      return wanted.size === 0 || message.type === 'error'
    })
    expect(seen.find(({ type }) => type === 'ack')).toMatchObject({ id: 'w1', state: 'queued' })
    await stage.until('the prompt arrived', async () =>
      (await stage.noted()).some(({ prompt }) => prompt === 'by socket'),
    )
  })

  it('delivers an answer that arrives before the asking session is restored', async () => {
    const { stage, client, info, resume } = await restartWithStoppedTmux({}, async (before, { id }) => {
      const sender = createServerClient({ remoraHome: before.remoraHome })
      await sender.request('POST', `/api/live/${id}/send`, { body: { text: 'ask thing' } })
      await before.until(
        'it asks',
        async () => (await before.server.context.approvals.pending()).length === 1,
      )
    })
    const [asked] = await stage.server.context.ledger.asks.pending()
    const { ask, agent, session } = asked!
    const answered = client.request('POST', '/api/asks/answer', {
      body: { agent, session, ask: ask.id, digest: ask.digest, option: ask.options[0]!.id },
    })
    const asks = client.request<{ asks: unknown[] }>('GET', '/api/asks')
    // Longer than an answer waits for an agent that is gone.
    await sleep(3_500)
    expect(await isPending(answered)).toBe(true)
    resume()
    expect(await answered).toMatchObject({ won: true, effect: 'done' })
    await asks
    await stage.until('it was chosen', async () => (await stage.noted()).some(({ choice }) => choice === 1))
    expect(info.agent).toBe(agent)
  })

  it('queues a prompt and refuses other commands when a session cannot be reached in time', async () => {
    const { stage, info, client, resume } = await restartWithStoppedTmux({ restoreWaitMs: 300 })
    const path = `/api/live/${info.id}`
    const { command } = await client.request<{ command: Command }>('POST', `${path}/send`, {
      body: { text: 'later' },
    })
    expect(command).toMatchObject({ state: 'queued' })
    await expect(client.request('POST', `${path}/cancel`, { body: {} })).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining(`${info.id} is still being restored`) as string,
    })
    expect(await listLive(client)).toMatchObject([{ id: info.id, restoring: true }])
    resume()
    await stage.until('the prompt arrived', async () =>
      (await stage.noted()).some(({ prompt }) => prompt === 'later'),
    )
    expect((await stage.noted()).filter(({ prompt }) => prompt === 'later')).toHaveLength(1)
  })

  it('reports a session as ended whose agent died before it could be restored', async () => {
    const { stage, info, client, killTmux } = await restartWithStoppedTmux({ restoreWaitMs: 300 })
    const { command } = await client.request<{ command: Command }>('POST', `/api/live/${info.id}/send`, {
      body: { id: 'lost', text: 'too late' },
    })
    expect(command.state).toBe('queued')
    const stream = await client.open()
    onTestFinished(() => stream.close())
    const messages = stream[Symbol.asyncIterator]()
    const ended = readUntil(messages, (message) => message.type === 'live' && message.live.state === 'ended')
    killTmux()
    expect(await ended).toMatchObject({ live: { id: info.id } })
    expect(await stage.server.context.ledger.commands.find(command)).toMatchObject({ state: 'refused' })
    expect(await listLive(client)).toMatchObject([{ id: info.id, state: 'ended' }])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LiveInfo } from '@remora/protocol'
import { type Stage, openLiveStage } from './live.test-data.ts'

describe('live sessions on terminals', { timeout: 120_000 }, () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openLiveStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const live = () => stage.server.context.live
  const ledger = () => stage.server.context.ledger
  const now = ({ id }: LiveInfo) => live().find(id)!
  const prompt = (text: string) => ({
    kind: 'prompt' as const,
    content: [{ type: 'text' as const, text }],
  })
  const idle = (info: LiveInfo) =>
    stage.until('idle', () => now(info).state === 'idle' && now(info).queued === 0)
  const prompts = async () => (await stage.noted()).flatMap((each) => each.prompt ?? [])
  const asked = () => stage.until('an ask', async () => (await stage.server.context.approvals.pending())[0])
  const end = async (info: LiveInfo) => {
    await live().submit({ id: `end-${info.id}`, client: 't', target: now(info), body: { kind: 'end' } })
    await stage.until('the end', () => now(info).state === 'ended')
  }

  it('start with a prompt, answer it, and report their state', async () => {
    const info = await stage.start({ prompt: 'hello there' })
    expect(info).toMatchObject({ agent: 'gemini', channel: 'terminal', adopted: false })
    await stage.until('the answer', async () => {
      const { events } = await ledger().read({ session: { agent: 'gemini', session: info.session } })
      return events.find(({ event }) => event.type === 'text' && event.text.includes('You said: hello there'))
    })
    await idle(info)
    expect(await prompts()).toContain('hello there')
    await stage.until('its title', () => now(info).title === 'hello there')
    // If the screen never showed the turn, the command settles after the session is idle.
    await stage.until('it is done', async () => {
      const [command] = await ledger().commands.list({ session: { agent: 'gemini', session: info.session } })
      return command?.state === 'done'
    })
    await end(info)
  })

  it('take prompts in order; queued ones can be edited and withdrawn', async () => {
    const info = await stage.start({ prompt: 'slow' })
    await stage.until('working', () => now(info).state === 'working')
    const put = (id: string, text: string) =>
      live().submit({ id, client: 'phone', target: now(info), body: prompt(text) })
    await put('a', 'first one')
    await put('b', 'second one')
    await put('c', 'third one')
    expect(await put('c', 'third one again')).toMatchObject({ state: 'queued', body: prompt('third one') })
    await live().withdraw({ id: 'b', client: 'phone' })
    await live().edit({ id: 'c', client: 'phone' }, prompt('changed one'))
    await live().submit({ id: 'stop', client: 'phone', target: now(info), body: { kind: 'cancel' } })
    await idle(info)
    await stage.until('both', async () => (await prompts()).includes('changed one'))
    expect((await prompts()).filter((text) => text.endsWith('one'))).toEqual(['first one', 'changed one'])
    await expect(live().withdraw({ id: 'a', client: 'phone' })).rejects.toMatchObject({ code: 'conflict' })
    await idle(info)
    await end(info)
  })

  it('ask, and apply the first answer once', async () => {
    const info = await stage.start({ prompt: 'ask apple' })
    const { ask, ...key } = await asked()
    expect(ask).toMatchObject({ kind: 'permission', tool: 'Bash', input: { command: 'touch apple-1' } })
    const say = (option: string) =>
      stage.server.context.approvals.answer(key, { ask: ask.id, option, by: 'person', digest: ask.digest })
    const answers = await Promise.all([say('allow'), say('deny')])
    expect(answers.filter(({ won }) => won)).toHaveLength(1)
    await idle(info)
    const choices = (await stage.noted()).filter(({ command }) => command === 'touch apple-1')
    expect(choices).toHaveLength(1)
    expect(await ledger().audit.verify()).not.toHaveProperty('broken')
    await end(info)
  })

  it('notice an answer that was given at their keyboard', async () => {
    const info = await stage.start({ prompt: 'ask pear' })
    const { ask, ...key } = await asked()
    stage.tmux('send-keys', '-t', `remora-${info.id}`, '1')
    await idle(info)
    const { answer } = await stage.until('the answer', async () => {
      const found = await ledger().asks.find(key, ask.id)
      return found?.answer && found
    })
    expect(answer).toMatchObject({ by: 'terminal' })
    await end(info)
  })

  it('are restored by the next server with their asks and queued prompts', async () => {
    const info = await stage.start({ prompt: 'ask plum' })
    const { ask } = await asked()
    await live().submit({
      id: 'later',
      client: 'phone',
      target: now(info),
      body: prompt('after the restart'),
    })
    await stage.restart()
    await stage.until('it is back', () => live().find(info.id)?.state === 'asking')
    // The dialog hides the line that shows the model.
    expect(live().find(info.id)).toMatchObject({ model: 'Auto' })
    const again = await asked()
    expect(again.ask.id).toBe(ask.id)
    const { ask: shown, ...key } = again
    await stage.server.context.approvals.answer(key, {
      ask: ask.id,
      option: 'allow',
      by: 'person',
      digest: shown.digest,
    })
    await stage.until('the prompt', async () => (await prompts()).includes('after the restart'))
    expect((await prompts()).filter((text) => text === 'after the restart')).toHaveLength(1)
    await idle(info)
    await end(info)
  })

  it('get the id of the agent, also when it changes', async () => {
    const info = await stage.start({ prompt: 'before it' })
    await idle(info)
    await live().submit({
      id: 'clear',
      client: 'k',
      target: now(info),
      body: { ...prompt('/clear'), promptKind: 'slash' },
    })
    await live().submit({ id: 'after', client: 'k', target: now(info), body: prompt('a new beginning') })
    await stage.until('another id', () => now(info).session !== info.session)
    const { events } = await ledger().read({ session: { agent: 'gemini', session: now(info).session } })
    expect(JSON.stringify(events)).toContain('a new beginning')
    await idle(info)
    await end(info)
  })

  it('keep the text of an interrupted answer that is in no transcript', async () => {
    const info = await stage.start({ prompt: 'slow' })
    await stage.until('its text', () => live().frame(info.id)?.text?.includes('Once upon a time'))
    await live().submit({ id: 'esc', client: 'k', target: now(info), body: { kind: 'cancel' } })
    const kept = await stage.until('the text', async () => {
      const { events } = await ledger().read({ session: { agent: 'gemini', session: now(info).session } })
      return events.find(({ event }) => event.type === 'text' && event.origin.channel === 'terminal')
    })
    expect(kept.event).toMatchObject({ text: expect.stringContaining('Once upon a time') as string })
    await end(info)
  })

  it('continue when the agent asks for a restart', async () => {
    const info = await stage.start({ prompt: '/restart' })
    await live().submit({ id: 'anew', client: 'k', target: now(info), body: prompt('begun anew') })
    await stage.until('the prompt', async () => (await prompts()).includes('begun anew'))
    expect(now(info).session).toBe(info.session)
    await idle(info)
    await end(info)
  })

  it('continue in a fork while the session itself is running', async () => {
    const info = await stage.start({ prompt: 'prompt of both' })
    await stage.until('its title', () => now(info).title === 'prompt of both')
    await idle(info)
    const copy = await stage.start({ resume: info.session, fork: true, prompt: 'only in the copy' })
    expect(copy.session).not.toBe(info.session)
    await stage.until('the answer', async () => {
      const { events } = await ledger().read({ session: { agent: 'gemini', session: copy.session } })
      return events.some(({ event }) => event.type === 'text' && event.text.includes('only in the copy'))
    })
    await idle(copy)
    await stage.until('its title', () => now(copy).title === 'prompt of both')
    // The fork starts with the same prompt, and is another session.
    expect(now(info).session).toBe(info.session)
    expect(now(copy).session).toBe(copy.session)
    await end(copy)
    expect(now(info).state).toBe('idle')
    await end(info)
  })

  it('refuse commands after their end', async () => {
    const info = await stage.start()
    await stage.until('idle', () => now(info).state === 'idle')
    process.kill(live().terminal(info.id)!.pid, 'SIGKILL')
    await stage.until('the end', () => now(info).state === 'ended')
    const late = await live().submit({ id: 'late', client: 'k', target: info, body: prompt('too late') })
    expect(late).toMatchObject({ state: 'refused', reason: 'The session is not running' })
  })

  it('are refused for invalid start requests', async () => {
    await expect(stage.start({ agent: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(stage.start({ cwd: `${stage.folder}/nowhere` })).rejects.toMatchObject({ code: 'usage' })
    await expect(stage.start({ mode: 'fast' })).rejects.toMatchObject({ code: 'usage' })
    await expect(stage.start({ agent: 'codex' })).rejects.toMatchObject({ code: 'agent_missing' })
    expect([...(await stage.server.context.store.collection('live').all()).keys()]).toEqual([])
  })
})

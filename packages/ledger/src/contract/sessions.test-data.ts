import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { Story, start } from './story.test-data.ts'

export function testSessions(bench: Bench): void {
  it('summarizes a session', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append([
      ...story.record({ type: 'session', entity: 's', cwd: '/code', title: 'First', version: '2.1.0' }),
      ...story.record({
        type: 'message',
        entity: 'c',
        role: 'user',
        content: [{ type: 'text', text: 'rules' }],
        context: true,
      }),
      ...story.prompt('  Fix the\n\n parser '),
      ...story.record({ type: 'message', entity: 'm', role: 'assistant', model: 'opus' }),
      ...story.says('Well', 'm'),
      ...story.record({ type: 'tool_use', entity: 't', message: 'm', name: 'Bash', input: {} }),
      ...story.record({
        type: 'message',
        entity: 'n',
        role: 'system',
        content: [{ type: 'text', text: 'note' }],
      }),
      ...story.record({ type: 'message', entity: 'x', role: 'user', content: [], parent: 't' }),
      ...story.record({
        type: 'usage',
        entity: 'm',
        scope: 'message',
        usage: { inputTokens: 5, outputTokens: 2 },
      }),
    ])
    await ledger.append([
      ...story.record({ type: 'session', entity: 's', title: 'Second' }),
      ...story.prompt('And now?'),
      ...story.record({ type: 'status', entity: 'st', status: 'model', value: 'sonnet' }),
      ...story.record({ type: 'session', entity: 'sub', cwd: '/elsewhere', title: 'Sub-agent', parent: 't' }),
    ])
    const entry = {
      ...story.key,
      title: 'Second',
      firstPrompt: 'Fix the parser',
      model: 'sonnet',
      cwd: '/code',
      version: '2.1.0',
      messages: 3,
      usage: { inputTokens: 5, outputTokens: 2 },
      startedAt: start,
      updatedAt: start + 12_000,
      pinned: false,
      hidden: false,
    }
    expect(await ledger.sessions()).toEqual([entry])
    expect(await ledger.session(story.key)).toEqual(entry)
    expect(await ledger.session({ agent: 'gemini', session: 'one' })).toBeUndefined()
  })

  it('leaves out what was not reported', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append(story.record({ type: 'done', entity: 'd', ok: true, at: 0 }))
    expect(await ledger.session(story.key)).toEqual({
      ...story.key,
      messages: 0,
      usage: {},
      startedAt: 0,
      updatedAt: 0,
      pinned: false,
      hidden: false,
    })
  })

  it('counts a message once, by the best channel that reports any', async () => {
    const ledger = await bench.open()
    const live = new Story({ channel: 'headless', source: 'run' })
    const file = new Story()
    await ledger.append([
      ...live.prompt('Hi'),
      ...live.record({ type: 'text', entity: 'live', offset: 0, text: 'Hel' }),
      ...live.record({ type: 'text', entity: 'live', offset: 3, text: 'lo' }),
      ...live.says('and more'),
    ])
    expect((await ledger.session(live.key))?.messages).toBe(3)
    await ledger.append([...file.record({ type: 'session', entity: 's' })])
    expect((await ledger.session(live.key))?.messages).toBe(3)
    await ledger.append([...file.prompt('Hi', 'p'), ...file.says('Hello', 'm'), ...file.says('again', 'm')])
    await ledger.append([...file.prompt('Hi', 'p'), ...live.prompt('Next')])
    expect((await ledger.session(live.key))?.messages).toBe(2)
  })

  it('prefers the best channel and fills gaps from the others', async () => {
    const ledger = await bench.open()
    const hooks = new Story({ channel: 'hooks', source: 'spool' })
    const file = new Story()
    await ledger.append(hooks.record({ type: 'session', entity: 's', cwd: '/hooks', model: 'hook-model' }))
    await ledger.append(file.record({ type: 'session', entity: 's', cwd: '/file', title: 'By file' }))
    await ledger.append(
      hooks.record({ type: 'session', entity: 's', cwd: '/later', title: 'x', version: '9' }),
    )
    expect(await ledger.session(file.key)).toMatchObject({
      cwd: '/file',
      title: 'By file',
      model: 'hook-model',
      version: '9',
    })
  })

  it('shows the beginning of the earliest prompt', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append([
      ...story.record({
        type: 'message',
        entity: 'a',
        role: 'user',
        content: [{ type: 'text', text: 'later' }],
      }),
      ...story.record({ type: 'message', entity: 'e', role: 'user', content: [], at: start - 2000 }),
    ])
    expect((await ledger.session(story.key))?.firstPrompt).toBe('later')
    const text = '\u{1f600} '.repeat(1000)
    await ledger.append(
      story.record({
        type: 'message',
        entity: 'b',
        role: 'user',
        content: [{ type: 'text', text }],
        at: start - 1000,
      }),
    )
    const { firstPrompt } = (await ledger.session(story.key))!
    expect(firstPrompt).toMatch(/^(\u{1f600} )+\u{1f600}? ?…$/u)
    expect(firstPrompt!.length).toBeLessThan(400)
    const command = new Story({ session: 'command' })
    const content = [{ type: 'slash_command' as const, command: '/review', args: 'all' }]
    await ledger.append(command.record({ type: 'message', entity: 'c', role: 'user', content }))
    expect((await ledger.session(command.key))?.firstPrompt).toBe('/review all')
  })

  it('lists by agent, folder, time and id prefix, latest first', async () => {
    const ledger = await bench.open()
    const stories = [
      ['gemini', 'aa1', '/code'],
      ['gemini', 'aa2', '/code/deep/er'],
      ['claude', 'b_3', '/codeshop'],
      ['claude', 'bx4', '/'],
      ['claude', 'bx5', 'C:\\work\\deep'],
    ] as const
    for (const [index, [agent, session, cwd]] of stories.entries())
      await ledger.append(
        new Story({ agent, session }).record({ type: 'session', entity: 's', cwd, at: start + index * 1000 }),
      )
    const ids = async (query: object): Promise<string[]> =>
      (await ledger.sessions({ empty: true, ...query })).map(({ session }) => session)
    // They have no messages.
    expect(await ledger.sessions()).toEqual([])
    expect(await ids({})).toEqual(['bx5', 'bx4', 'b_3', 'aa2', 'aa1'])
    expect(await ids({ limit: 2 })).toEqual(['bx5', 'bx4'])
    expect(await ids({ agent: 'gemini' })).toEqual(['aa2', 'aa1'])
    expect(await ids({ cwd: '/code' })).toEqual(['aa2', 'aa1'])
    expect(await ids({ cwd: '/code/' })).toEqual(['aa2', 'aa1'])
    expect(await ids({ cwd: '/code/deep/er' })).toEqual(['aa2'])
    expect(await ids({ cwd: '/' })).toEqual(['bx4', 'b_3', 'aa2', 'aa1'])
    expect(await ids({ cwd: 'C:\\work' })).toEqual(['bx5'])
    expect(await ids({ since: start + 3000 })).toEqual(['bx5', 'bx4'])
    expect(await ids({ until: start + 1000 })).toEqual(['aa2', 'aa1'])
    expect(await ids({ until: start + 3000, limit: 2 })).toEqual(['bx4', 'b_3'])
    await ledger.annotate({ agent: 'gemini', session: 'aa1' }, { pinned: true })
    expect(await ids({ pinned: true })).toEqual(['aa1'])
    expect(await ids({ pinned: false })).toHaveLength(5)
    expect(await ids({ idPrefix: 'b_' })).toEqual(['b_3'])
    expect(await ids({ idPrefix: '' })).toHaveLength(5)
  })

  it('returns the last message and its role, with secrets masked', async () => {
    const ledger = await bench.open()
    const last = async (story: Story) =>
      (await ledger.sessions({ last: true, empty: true })).find(({ session }) => session === story.session)
        ?.last
    const story = new Story()
    await ledger.append(story.prompt('Find\n the  key'))
    expect(await last(story)).toEqual({ role: 'user', text: 'Find the key', at: start })
    const long = `It is sk-ant-api03-${'a'.repeat(30)}. ${'word '.repeat(300)}`
    await ledger.append([
      ...story.says(long),
      // None of these is a message of the user or the agent.
      ...story.record({ type: 'tool_use', entity: 't', name: 'Bash', input: { command: 'ls' } }),
      ...story.record({
        type: 'text',
        entity: 'sub',
        offset: 0,
        text: 'a sub-agent',
        parent: 't',
        final: true,
      }),
      ...story.record({
        type: 'message',
        entity: 'n',
        role: 'system',
        content: [{ type: 'text', text: 'x' }],
      }),
      ...story.record({
        type: 'message',
        entity: 'c',
        role: 'user',
        content: [{ type: 'text', text: 'rules '.repeat(100) }],
        context: true,
      }),
    ])
    const message = (await last(story))!
    expect(message).toMatchObject({ role: 'assistant', at: start + 1000 })
    expect(message.text).toMatch(/^It is \[secret\]\. word .*…$/)
    expect(message.text.length).toBeLessThan(220)

    // A secret that the preview would cut in half.
    await ledger.append(story.says(`${'word '.repeat(38)}eyJhbGciOiJIUzI1NiJ9.${'b'.repeat(900)}.sig`))
    expect((await last(story))?.text).toMatch(/word \[secret\]$/)

    const pieces = new Story({ session: 'pieces', channel: 'headless', source: 'run' })
    await ledger.append([
      ...pieces.record({ type: 'text', entity: 'live', offset: 0, text: 'Once upon ' }),
      ...pieces.record({ type: 'text', entity: 'live', offset: 10, text: 'a time' }),
    ])
    expect((await last(pieces))?.text).toBe('Once upon a time')

    const silent = new Story({ session: 'silent' })
    await ledger.append([
      ...silent.record({ type: 'session', entity: 's', cwd: '/code' }),
      ...silent.record({ type: 'message', entity: 'i', role: 'user', content: [] }),
    ])
    expect(await last(silent)).toBeUndefined()
    // Without the option it is not read.
    expect((await ledger.sessions())[0]).not.toHaveProperty('last')
    expect(await ledger.session(story.key)).not.toHaveProperty('last')
  })

  it("keeps a user's notes on a session", async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append(story.prompt('Hi'))
    expect(await ledger.annotate(story.key, { name: 'Mine', pinned: true })).toBe(true)
    expect(await ledger.annotate(story.key, { hidden: true })).toBe(true)
    expect(await ledger.sessions()).toEqual([])
    await ledger.append(story.prompt('More'))
    const [entry] = await ledger.sessions({ hidden: true })
    expect(entry).toMatchObject({ name: 'Mine', pinned: true, hidden: true, messages: 2 })
    await ledger.annotate(story.key, { name: null, pinned: false, hidden: false })
    expect(await ledger.session(story.key)).toMatchObject({ pinned: false, hidden: false })
    expect(await ledger.session(story.key)).not.toHaveProperty('name')
    expect(await ledger.annotate({ agent: 'claude', session: 'none' }, { pinned: true })).toBe(false)
  })

  it('marks sessions that an agent has deleted, and unmarks them', async () => {
    const ledger = await bench.open()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    await ledger.append([...one.prompt('a'), ...two.prompt('b')])
    await ledger.archive([one.key, { agent: 'claude', session: 'none' }], 5)
    await ledger.archive([one.key], 9)
    expect((await ledger.session(one.key))?.archivedAt).toBe(5)
    expect(await ledger.session(two.key)).not.toHaveProperty('archivedAt')
    await ledger.archive([one.key], null)
    expect(await ledger.session(one.key)).not.toHaveProperty('archivedAt')
  })
}

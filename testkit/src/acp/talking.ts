import { readFile } from 'node:fs/promises'
import type { Event } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { read, say, words } from './taken.ts'

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The handshake, and what a model says. */
export function testTalking(
  stage: () => Stage,
  { version, wrapper, authMethod, cannot }: AcpContractOptions,
) {
  it('shakes hands, tells the ways to sign in, and takes none', async () => {
    const { connection, heard, agent, settings } = stage()
    expect(connection.agent).toBe(agent.id)
    expect(connection.pid).toBeGreaterThan(0)
    expect(connection.authMethods.map(({ id }) => id)).toEqual(
      authMethod === undefined ? [] : expect.arrayContaining([authMethod]),
    )
    await using session = await stage().open()
    const { result } = await say(session, 'SAY: hello')
    expect(result).toMatchObject({ ok: true, text: 'hello', sessionId: session.id, stopReason: 'end_turn' })
    const sent = heard.flatMap(({ raw }) => (raw as { method?: string } | undefined)?.method ?? [])
    expect(sent).toContain('initialize')
    expect(sent).not.toContain('authenticate')
    expect(await readFile(settings.path, 'utf8')).toBe(settings.text)
    if (wrapper === undefined && connection.info.version !== undefined)
      expect(connection.info.version).toBe(version)
  })

  it('tells an answer as it comes', async () => {
    await using session = await stage().open()
    const { events, result } = await say(session, 'SLOW 20\nSAY: one two three four')
    expect(result).toMatchObject({ ok: true, text: 'one two three four' })
    const pieces = events.filter(({ type }) => type === 'text')
    expect(pieces.length).toBeGreaterThan(1)
    expect(events.find(({ type }) => type === 'message')).toMatchObject({ role: 'user' })
    if (cannot.includes('usage')) expect(result.usage.inputTokens).toBeUndefined()
    else expect(result.usage.inputTokens).toBeGreaterThan(0)
  })

  it.each(['/compact', ' /init', '/undo', '!touch escaped.txt'])(
    'gives the model %j as text',
    async (text) => {
      const { model, home } = stage()
      await using session = await stage().open()
      const before = model.requests.length
      expect((await say(session, text)).result).toMatchObject({ ok: true })
      const received = model.requests.slice(before).filter(({ kind }) => kind === 'turn')
      // The word joiner is the one character that may be added.
      expect(received.map(({ prompt }) => prompt?.replace(/^\u2060/, '').trim())).toContain(text.trim())
      expect(await home.files()).not.toContain('escaped.txt')
    },
  )

  it('tells what the model thinks', async () => {
    await using session = await stage().open()
    const { events, result } = await say(session, 'THINK: Planning: a short answer\nSAY: thought about it')
    expect(result).toMatchObject({ ok: true, text: 'thought about it' })
    const thoughts = events.map((event) => (event.type === 'thinking' ? event.text : '')).join('')
    if (cannot.includes('thoughts')) expect(thoughts).toBe('')
    else expect(thoughts).toContain('Planning')
  })

  it('says what the model refused', async () => {
    await using session = await stage().open()
    const { events, result } = await say(session, 'FAULT: 401')
    const code = 'auth'
    expect(result).toMatchObject({ ok: false, error: { code } })
    expect(events.filter(({ type }) => type === 'error').at(-1)).toMatchObject({ code, severity: 'error' })
    expect(events.at(-1)).toMatchObject({ type: 'done', ok: false })
  })

  it('passes an image on', async () => {
    await using session = await stage().open()
    const { result } = await say(session, [
      { type: 'text', text: 'SAY: seen' },
      { type: 'image', data: dot, mediaType: 'image/png' },
    ])
    if (cannot.includes('image')) {
      expect(stage().bodyOf('SAY: seen')).not.toContain(dot)
      return
    }
    expect(result).toMatchObject({ ok: true, text: 'seen' })
    expect(stage().bodyOf('SAY: seen')).toContain(dot)
  })
}

/** Many prompts, many sessions. */
export function testQueues(stage: () => Stage, { prompts = 50 }: AcpContractOptions) {
  it('answers three prompts one after the other', async () => {
    await using session = await stage().open()
    const runs = ['first', 'second', 'third'].map((word) => session.prompt(`SLOW 30\nSAY: ${word} of three`))
    expect(session.waiting).toBe(3)
    const taken = await Promise.all(runs.map((run) => read(run)))
    expect(taken.map(({ result }) => result.text)).toEqual([
      'first of three',
      'second of three',
      'third of three',
    ])
    const order = stage()
      .turns('of three')
      .map(({ prompt }) => /SAY: (\w+)/.exec(prompt?.split('\n').at(-1) ?? '')?.[1])
    expect(order).toEqual(['first', 'second', 'third'])
    expect(session.waiting).toBe(0)
  })

  it('lets a prompt in before all others', async () => {
    await using session = await stage().open()
    let speaks = (): void => {}
    const spoke = new Promise<void>((resolve) => (speaks = resolve))
    const first = read(session.prompt(`SLOW 100\nSAY: ${words(100)}`), ({ type }) => {
      if (type === 'text') speaks()
    })
    const last = read(session.prompt('SAY: waited'))
    await spoke
    const now = await read(session.sendNow('SAY: at once'))
    expect(now.result).toMatchObject({ ok: true, text: 'at once' })
    expect((await first).result).toMatchObject({
      ok: false,
      stopReason: 'cancelled',
      error: { code: 'aborted' },
    })
    expect((await last).result).toMatchObject({ ok: true, text: 'waited' })
    expect((await last).events.at(-1)!.at).toBeGreaterThanOrEqual(now.events.at(-1)!.at)
  })

  it('holds two sessions at the same time', async () => {
    await using one = await stage().open()
    await using two = await stage().open()
    expect(one.id).not.toBe(two.id)
    // On a busy machine the one may be over before the other begins: only more time between the words shows them both.
    for (const pause of [60, 300, 1500]) {
      const from = stage().heard.length
      const [left, right] = await Promise.all([
        say(one, `SLOW ${pause}\nSAY: ${words(12, 'left')}`),
        say(two, `SLOW ${pause}\nSAY: ${words(12, 'right')}`),
      ])
      expect([left.result.text, right.result.text]).toEqual([words(12, 'left'), words(12, 'right')])
      if (changesOfSpeaker(stage().heard.slice(from)) > 1) return
    }
    expect.fail('One waited for the other, however long that took.')
  })

  it(`takes ${prompts} prompts without growing`, async () => {
    await using session = await stage().open()
    const { home, connection } = stage()
    const { pid } = connection
    for (let index = 0; index < 3; index++) await say(session, `SAY: warm ${index}`)
    const before = { processes: (await home.leftovers()).length, handles: handles() }
    for (let index = 0; index < prompts; index++) {
      const { text } = await session.prompt(`SAY: prompt ${index}`).result
      expect(text).toBe(`prompt ${index}`)
    }
    // A process of a turn may end a moment after it.
    await expect.poll(async () => (await home.leftovers()).length).toBeLessThanOrEqual(before.processes)
    expect(handles()).toBeLessThanOrEqual(before.handles + 3)
    expect(connection.pid).toBe(pid)
  })
}

/** What this process holds open; how many connections the agent keeps to its model is its own affair. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => name !== 'TCPSocketWrap').length
}

/** How often the words of one session follow those of another. */
function changesOfSpeaker(events: readonly Event[]): number {
  const texts = events.filter(({ type }) => type === 'text')
  return texts.filter((event, index) => index > 0 && event.session !== texts[index - 1]!.session).length
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Event, RemoraError } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isRunning } from '../../process/owner.ts'
import { collectEvents, talk } from './session.test-data.ts'
import { filesExist } from './tools/completion.ts'
import { tool } from './tools/tool.ts'

describe('prompts', () => {
  it('wait for each other, and each has its own answer', async () => {
    await using talking = await talk({}, {}, { prompts: 'refuse' })
    const runs = ['wait 50\nsay one', 'say two', 'say three'].map((words) => talking.session.prompt(words))
    expect(talking.session.waiting).toBe(3)
    const results = await Promise.all(runs.map((run) => run.result))
    expect(results.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect(talking.session.waiting).toBe(0)
  })

  it('emit each event once, from `session` to `done`', async () => {
    await using talking = await talk()
    for (const words of ['say one', 'think then say', 'empty', 'error 429']) {
      const types = (await collectEvents(talking.session.prompt(words))).map(({ type }) => type)
      expect([types[0], types.at(-1)]).toEqual(['session', 'done'])
      expect(types.filter((type) => type === 'session' || type === 'done')).toHaveLength(2)
    }
  })

  it('are never sent if cancelled while waiting', async () => {
    await using talking = await talk()
    const first = talking.session.prompt('wait 100\nsay one')
    const second = talking.session.prompt('say two')
    const third = talking.session.prompt('say three')
    await second.cancel()
    expect(await second.result).toMatchObject({ ok: false, error: { code: 'aborted' } })
    expect([(await first.result).text, (await third.result).text]).toEqual(['one', 'three'])
  })

  it('may interrupt', async () => {
    await using talking = await talk()
    const first = talking.session.prompt('wait\nsay one')
    const second = talking.session.prompt('say two')
    const urgent = talking.session.sendNow('say now')
    const order: string[] = []
    await Promise.all(
      [first, second, urgent].map(async (run) => order.push((await run.result).text || 'cancelled')),
    )
    expect(order).toEqual(['cancelled', 'now', 'two'])
  })

  it('of two sessions are answered concurrently', async () => {
    await using talking = await talk()
    const other = await talking.connection.open({ cwd: talking.cwd, structuredOutput: false })
    const slow = talking.session.prompt('wait')
    expect(await other.prompt('say other').result).toMatchObject({ text: 'other', sessionId: other.id })
    await slow.cancel()
    expect(other.id).not.toBe(talking.session.id)
  })

  it('have parts of the kinds that the agent accepts', async () => {
    await using talking = await talk()
    await writeFile(join(talking.cwd, 'notes.txt'), 'a note')
    const { text } = await talking.session.prompt([
      { type: 'text', text: 'echo-prompt' },
      { type: 'file', path: 'notes.txt' },
      { type: 'image', data: new Uint8Array([1]), mediaType: 'image/png' },
      { type: 'link', uri: 'https://example.com' },
    ]).result
    expect(text).toBe('text resource image resource_link')
    await using blind = await talk({}, {}, { capabilities: {} })
    const refused = await blind.session.prompt([{ type: 'image', data: '', mediaType: 'image/png' }]).result
    expect(refused.error).toMatchObject({ code: 'unsupported', message: 'fake takes no image in a prompt' })
    expect((await blind.say('  ')).error).toMatchObject({ code: 'usage' })
  })
})

describe('a turn ends', () => {
  it('by cancel, and the next one works', async () => {
    await using talking = await talk()
    const run = talking.session.prompt('say one\nwait')
    for await (const event of run) if (event.type === 'text') void talking.session.cancel()
    expect(await run.result).toMatchObject({ ok: false, stopReason: 'cancelled', error: { code: 'aborted' } })
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('by `break`', async () => {
    await using talking = await talk()
    for await (const event of talking.session.prompt('say one\nwait')) if (event.type === 'text') break
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('by a signal', async () => {
    await using talking = await talk()
    const result = await talking.say('wait', { signal: AbortSignal.timeout(50) })
    expect(result).toMatchObject({ ok: false, error: { code: 'aborted' } })
  })

  it('by its deadline', async () => {
    await using talking = await talk()
    const result = await talking.say('say one\nwait', { deadline: 5_000 })
    expect(result).toMatchObject({
      ok: false,
      text: 'one',
      stopReason: 'cancelled',
      error: { code: 'timeout_total' },
    })
    expect(await talking.say('say two', { deadline: new Date(Date.now() + 60_000) })).toMatchObject({
      ok: true,
    })
  })

  it('by force, if the agent does not stop', async () => {
    await using talking = await talk()
    const { pid } = talking.connection
    const result = await talking.say('hang', { deadline: 50 })
    expect(result.error?.code).toBe('timeout_total')
    // The result is available before the process has exited.
    await expect.poll(() => isRunning({ pid }), { timeout: 20_000 }).toBe(false)
    expect((await talking.say('say two')).error).toMatchObject({ code: 'crashed' })
  })

  it('with the agent, and the session continues after a restart', async () => {
    await using talking = await talk()
    expect((await talking.say('die')).error).toMatchObject({
      code: 'crashed',
      message: 'fake has ended with code 3: fatal: the fake agent dies',
    })
    await talking.connection.restart()
    const entities = (await collectEvents(talking.session.prompt('say more'))).map(({ entity }) => entity)
    // The new process numbers its requests like the old one.
    expect(entities.filter((entity) => entity.startsWith(`${talking.connection.id}/`))).toEqual([])
    expect(await talking.say('say again')).toMatchObject({
      ok: true,
      text: 'again',
      sessionId: talking.session.id,
    })
  })

  it.each([
    ['stop max_tokens', { ok: true, stopReason: 'max_tokens' }],
    ['stop refusal', { ok: false, stopReason: 'refusal', error: { code: 'permission' } }],
    ['error 429 slow down', { ok: false, error: { code: 'rate_limit', retryable: true } }],
    ['empty', { ok: false, error: { message: 'fake ended its turn without a word' } }],
  ])('with %s', async (words, expected) => {
    await using talking = await talk()
    const fullPrompt = words.startsWith('stop') ? `say so\n${words}` : words
    expect(await talking.say(fullPrompt)).toMatchObject(expected)
  })
})

describe('silence', () => {
  it('is reported', async () => {
    await using talking = await talk({ stuck: { afterMs: 50 } })
    const run = talking.session.prompt('wait 200\nsay one')
    const errors = (await collectEvents(run)).filter((event) => event.type === 'error')
    expect(errors[0]).toMatchObject({ code: 'timeout_idle', severity: 'warning' })
    expect(await run.result).toMatchObject({ ok: true, text: 'one' })
  })

  it('ends the turn, or the agent', async () => {
    await using talking = await talk({ stuck: { afterMs: 50, act: 'cancel' } })
    expect((await talking.say('wait')).error?.code).toBe('timeout_idle')
    // It has to answer in that time after a restart.
    await using other = await talk({ stuck: { afterMs: 3_000, act: 'restart' } })
    const { pid } = other.connection
    expect((await other.say('hang')).error?.code).toBe('timeout_idle')
    expect(await other.say('say again')).toMatchObject({ ok: true, text: 'again' })
    expect(other.connection.pid).not.toBe(pid)
  })

  it('does not count while the user is asked', async () => {
    const ask = (signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    await using talking = await talk({
      stuck: { afterMs: 2_500, act: 'cancel' },
      permissions: 'ask',
      asks: { ask: (_, { signal }) => ask(signal) },
    })
    const result = await talking.say('ask-first write', { deadline: 6_000 })
    expect(result.error?.code).toBe('timeout_total')
  })
})

describe('a budget', () => {
  it('ends a session before its next turn', async () => {
    await using talking = await talk({}, { budget: { totalTokens: 1_000 } })
    expect(await talking.say('say one\nusage 1200')).toMatchObject({ ok: true })
    expect((await talking.say('say two')).error).toMatchObject({
      code: 'budget',
      message: 'The budget is spent: 1200 of 1000 tokens',
    })
  })

  it('ends the rounds of a prompt', async () => {
    await using talking = await talk()
    const until = () => 'say again\nusage 600'
    const result = await talking.say('say one\nusage 600', { until, budget: { totalTokens: 1_000 } })
    expect(result).toMatchObject({ error: { code: 'budget' }, usage: { totalTokens: 1_200 } })
  })

  it('must be valid', async () => {
    await expect(talk({}, { budget: { totalTokens: 0 } })).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('a completion check', () => {
  it('sends the agent back to work', async () => {
    await using talking = await talk({ files: { write: true } })
    const check = filesExist('report.md')
    const result = await talking.say('say soon', {
      until: async (turn) =>
        (await check(turn)) === undefined ? undefined : `fs-write ${join(talking.cwd, 'report.md')} done`,
    })
    expect(result).toMatchObject({ ok: true, text: 'written' })
  })

  it('gives up at its limit', async () => {
    await using talking = await talk()
    const result = await talking.say('say one', { until: () => 'say two', rounds: 2 })
    expect(result.error?.message).toBe(
      'The work is not done although the agent was sent back 2 times: say two',
    )
    expect(result.turns).toBe(3)
  })
})

describe('data', () => {
  const output = z.object({ stars: z.number() })

  it('comes by the tool, after an invalid attempt', async () => {
    await using talking = await talk({}, { structuredOutput: true })
    const { data, ok } = await talking.session.prompt('structured {"stars":"many"} {"stars":4}', { output })
      .result
    expect({ data, ok }).toEqual({ data: { stars: 4 }, ok: true })
  })

  it('comes as text without the tool', async () => {
    await using talking = await talk()
    expect((await talking.say('say {"stars":5', { output })).data).toEqual({ stars: 5 })
  })

  it('is requested again a limited number of times', async () => {
    await using talking = await talk()
    const { data, error, text } = await talking.say('say none at all', { output })
    expect({ data, text }).toEqual({ data: undefined, text: 'ok' })
    expect(error?.message).toContain('does not fit what was asked for')
  })
})

it('offers host tools, which need no permission', async () => {
  const double = tool({
    name: 'double',
    description: 'Twice as much',
    input: z.object({ n: z.number() }),
    run: ({ n }) => n * 2,
  })
  await using talking = await talk({}, { tools: [double] })
  expect((await talking.say('call-tool double {"n":21}')).text).toContain('42')
})

it('delivers every event to the sink first, also to a slow one', async () => {
  const stored: Event[] = []
  const sink = {
    write: async (event: Event): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, event.type === 'text' ? 1 : 0))
      stored.push(event)
    },
  }
  await using talking = await talk({ sink })
  for await (const event of talking.session.prompt('chunks 100')) expect(stored).toContain(event)
  const numbers = stored.map(({ origin }) => Number.parseInt(origin.key)).filter((number) => number > 0)
  const wire = [...new Set(numbers)].sort((a, b) => a - b)
  expect(wire).toEqual(wire.map((_, index) => index + 1))
})

it('fails with its sink', async () => {
  const sink = {
    write(event: Event) {
      if (event.type === 'text') throw new RemoraError('config', 'The disk is full')
    },
  }
  await using talking = await talk({ sink })
  expect((await talking.say('say one')).error).toMatchObject({ message: 'The disk is full' })
})

it('keeps few unread events', async () => {
  await using talking = await talk()
  const run = talking.session.prompt('chunks 50000')
  let count = 0
  for await (const event of run) {
    if (event.type !== 'text') continue
    if (count++ === 0) await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect(count).toBe(50_000)
})

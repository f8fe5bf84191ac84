import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Event } from '@remora/protocol'
import { Conversations } from './conversations.ts'
import { type FakeCli, type Step, collect, fakeCli, startFake, types } from './fake-agent.test-data.ts'
import type { RunOptions } from './options.ts'

let cli: FakeCli
beforeEach(async () => {
  cli = await fakeCli()
})
afterEach(() => cli[Symbol.asyncDispose]())

const start = (steps: readonly Step[], options: Partial<RunOptions> = {}) => startFake(cli, steps, options)

describe('a retry', () => {
  it('succeeds after a temporary failure', async () => {
    const run = start(
      [
        { do: 'fail', message: 'overloaded', status: 503, before: 2 },
        { do: 'say', text: 'at last' },
      ],
      {
        retry: { attempts: 5, baseMs: 1 },
      },
    )
    const events = await collect(run)
    expect(types(events)).toEqual(['session', 'status', 'status', 'status', 'text', 'done'])
    expect(events[2]).toMatchObject({ status: 'retrying', value: { attempt: 1, code: 'overloaded' } })
    expect((await run.result).text).toBe('at last')
  })

  it.each([
    ['the failure is for good', { do: 'fail', message: 'bad request', status: 400 }],
    ['it has started often enough', { do: 'fail', message: 'overloaded', status: 503 }],
  ] as const)('stops when %s', async (_, step) => {
    const { error } = await start([step], { retry: { attempts: 2, baseMs: 1 } }).result
    expect(await cli.notes('starts')).toHaveLength(error?.retryable ? 2 : 1)
  })

  it('does not happen once the agent has produced something', async () => {
    const run = start(
      [
        { do: 'say', text: 'x' },
        { do: 'fail', message: 'overloaded', status: 503 },
      ],
      { retry: { attempts: 5, baseMs: 1 } },
    )
    expect(await run.result).toMatchObject({ ok: false, error: { code: 'overloaded' } })
    expect(await cli.notes('starts')).toHaveLength(1)
  })

  it('resumes the session with the chosen id and keeps its prompt once', async () => {
    const run = start(
      [
        { do: 'fail', message: 'overloaded', status: 503, before: 1 },
        { do: 'say', text: 'ok' },
      ],
      {
        sessionId: 'mine',
        retry: { attempts: 2, baseMs: 1 },
      },
    )
    expect(await run.result).toMatchObject({ ok: true, sessionId: 'mine', text: 'ok' })
    const [first, second] = (await cli.notes('starts')).map(
      (line) => (JSON.parse(line) as { args: string[] }).args,
    )
    expect([first, second]).toEqual([
      ['--session-id', 'mine'],
      ['--resume', 'mine'],
    ])
  })

  it('uses the next key when one is rejected', async () => {
    await cli.plan(1, [{ do: 'fail', message: 'API key not valid', status: 401 }])
    await cli.plan(2, [{ do: 'fail', message: 'quota exceeded', status: 429 }])
    const run = start([{ do: 'tell', variable: 'FAKE_KEY' }], { keys: ['one', 'two', 'three'] })
    expect(await run.result).toMatchObject({ ok: true, text: 'three' })
    const none = await start([{ do: 'fail', message: 'API key not valid', status: 401 }], { keys: ['one'] })
      .result
    expect(none).toMatchObject({ ok: false, error: { code: 'auth' } })
  })
})

describe('an answer as a value', () => {
  const schema = z.object({ n: z.number() })

  it('is parsed and checked', async () => {
    await cli.plan(1, [{ do: 'say', text: 'Sure: {"n": 4}' }])
    expect(await start([], { output: schema }).result).toMatchObject({ ok: true, data: { n: 4 } })
    await cli.plan(2, [{ do: 'say', text: '[1]' }])
    expect((await start([], { output: 'json' }).result).data).toEqual([1])
    await cli.plan(3, [{ do: 'say', text: '{"n": 5}' }])
    expect((await start([], { output: z.toJSONSchema(schema) }).result).data).toEqual({ n: 5 })
  })

  it('is requested once more in the same session', async () => {
    await cli.plan(1, [{ do: 'say', text: '{"n": "four"}' }])
    await cli.plan(2, [{ do: 'say', text: '{"n": 4}' }])
    const run = start([], { output: schema })
    expect(types(await collect(run))).toEqual(['session', 'status', 'text', 'text', 'done'])
    expect(await run.result).toMatchObject({ ok: true, data: { n: 4 } })
    expect(JSON.parse((await cli.notes('starts'))[1]!)).toMatchObject({ args: ['--resume', 'session-1'] })
  })

  it('includes the usage of both requests', async () => {
    await cli.plan(1, [
      { do: 'say', text: 'no' },
      { do: 'cost', tokens: 100 },
    ])
    await cli.plan(2, [
      { do: 'say', text: '{"n": 4}' },
      { do: 'cost', tokens: 50 },
    ])
    const { usage, costUsd } = await start([], { output: schema }).result
    expect({ usage, costUsd }).toEqual({
      usage: { inputTokens: 150, models: { m: { inputTokens: 150 } } },
      costUsd: 2,
    })
  })

  it('is a failure with a reason if it never matches the schema', async () => {
    await cli.plan(1, [{ do: 'say', text: 'no' }])
    await cli.plan(2, [{ do: 'say', text: '{"n": "four"}' }])
    const { ok, error, data, text } = await start([], { output: schema }).result
    expect({ ok, data, text }).toEqual({ ok: false, data: undefined, text: '{"n": "four"}' })
    expect(error!.message).toContain('expected number')
  })
})

describe('a conversation', () => {
  it('continues from run to run, and in a new session when the old one no longer exists', async () => {
    const say = (text: string) => start([{ do: 'say', text }], { conversation: 'chat 1' }).result
    expect(await say('a')).toMatchObject({ sessionId: 'session-1' })
    expect(await say('b')).toMatchObject({ sessionId: 'session-1' })
    expect(JSON.parse((await cli.notes('starts'))[1]!)).toMatchObject({ args: ['--resume', 'session-1'] })
    const conversations = new Conversations({ env: cli.env, home: cli.folder })
    await conversations.set('fake', 'chat 1', 'gone')
    expect(await say('c')).toMatchObject({ ok: true, sessionId: 'session-4' })
    expect(await conversations.find('fake', 'chat 1')).toBe('session-4')
    expect(await conversations.find('fake', 'chat 2')).toBeUndefined()
  })

  it('continues after a failed answer', async () => {
    const steps: Step[] = [
      { do: 'say', text: 'half' },
      { do: 'fail', message: 'overloaded', status: 503 },
    ]
    expect(await start(steps, { conversation: 'chat' }).result).toMatchObject({ ok: false })
    expect(await start([], { conversation: 'chat' }).result).toMatchObject({
      ok: true,
      sessionId: 'session-1',
    })
  })

  it('loses no entry in concurrent writes', async () => {
    const conversations = new Conversations({ env: cli.env, home: cli.folder })
    const keys = Array.from({ length: 30 }, (_, index) => `chat ${index}`)
    await Promise.all(keys.map((key) => conversations.set('fake', key, key)))
    expect(await Promise.all(keys.map((key) => conversations.find('fake', key)))).toEqual(keys)
  })
})

it('attaches bytes as a temporary file', async () => {
  const media = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('remora-media-'))
  const before = await media()
  const run = start([], { media: [{ bytes: new Uint8Array([1, 2]), mediaType: 'image/png', name: 'a.png' }] })
  expect(await run.result).toMatchObject({ ok: true })
  expect(JSON.parse((await cli.notes('starts'))[0]!)).toMatchObject({
    args: [expect.stringMatching(/remora-media-.*0-a\.png$/)],
  })
  expect((await media()).filter((name) => !before.includes(name))).toEqual([])
})

it('keeps lines that are nested too deeply, or make the reader throw, as text', async () => {
  await using cli = await fakeCli()
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const { headless } = cli.agent
  const reader: NonNullable<typeof headless>['reader'] = (maker, request) => {
    const inner = headless!.reader!(maker, request)
    const read = (line: string): Event[] => {
      if (line === 'throw') throw new TypeError('No such thing')
      return inner.read(line)
    }
    return { read, end: (exit, stderr) => inner.end(exit, stderr) }
  }
  const clumsy = { ...cli, agent: { ...cli.agent, headless: { ...headless!, reader } } }
  const run = startFake(clumsy, [
    { do: 'line', line: deep },
    { do: 'line', line: 'throw' },
    { do: 'say', text: 'done' },
  ])
  const events = await collect(run)
  expect(events.flatMap((event) => (event.type === 'unknown' ? [[event.what, event.raw]] : []))).toEqual([
    ['too deep', deep],
    ['unreadable', 'throw'],
  ])
  expect(await run.result).toMatchObject({ ok: true, text: 'done' })
})

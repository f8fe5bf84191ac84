import { setTimeout as sleep } from 'node:timers/promises'
import { type Event, RemoraError } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTime } from '../../process/process-table.ts'
import { type FakeCli, type Step, collect, fakeCli, startFake, types } from './fake-agent.test-data.ts'
import type { RunOptions } from './options.ts'
import type { Run } from '../../runs/run.ts'
import { startRun } from './headless-run.ts'

let cli: FakeCli
beforeEach(async () => {
  cli = await fakeCli()
})
afterEach(() => cli[Symbol.asyncDispose]())

const start = (steps: readonly Step[], options: Partial<RunOptions> = {}) => startFake(cli, steps, options)

/** What the CLI started and is still alive, itself and its children. */
async function left(): Promise<number[]> {
  const starts = (await cli.notes('starts')).map((line) => (JSON.parse(line) as { pid: number }).pid)
  const children = (await cli.notes('children')).map(Number)
  const alive = await Promise.all([...starts, ...children].map((pid) => startTime(pid)))
  return [...starts, ...children].filter((_, index) => alive[index] !== undefined)
}

describe('a run', () => {
  it('yields session, the agent’s events and done, and has a result', async () => {
    const run = start([
      { do: 'say', text: 'On it.' },
      { do: 'tool', id: 't' },
      { do: 'say', text: 'All ' },
      { do: 'say', text: 'done.' },
    ])
    const events = await collect(run)
    expect(types(events)).toEqual(['session', 'status', 'text', 'tool_use', 'text', 'text', 'done'])
    expect(new Set(events.map(({ origin }) => origin.key)).size).toBe(events.length)
    expect(await run.result).toMatchObject({
      ok: true,
      text: 'All done.',
      sessionId: 'session-1',
      toolCalls: 1,
      turns: 2,
      exitCode: 0,
      signal: null,
      truncated: false,
      messages: [
        { role: 'assistant', content: [{ type: 'text', text: 'On it.' }, { type: 'tool_use' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'All done.' }] },
      ],
    })
  })

  it('has a result without reading the events', async () => {
    const run = start([{ do: 'flood', megabytes: 20 }])
    const { ok, text, truncated, messages } = await run.result
    expect({ ok, length: Math.floor(text.length / 1_000_000), truncated }).toEqual({
      ok: true,
      length: 8,
      truncated: true,
    })
    expect(JSON.stringify(messages).length).toBeLessThan(9 * 1024 * 1024)
    expect(messages[0]!._original).toEqual([])
  })

  it('can be read only once', async () => {
    const run = start([])
    const reading = collect(run)
    expect(() => run[Symbol.asyncIterator]()).toThrow(RemoraError)
    await reading
    const other = start([])
    await other.result
    expect(() => other[Symbol.asyncIterator]()).toThrow('read only once')
  })

  it('keeps unknown lines', async () => {
    const events = await collect(
      start([
        { do: 'line', line: 'no json' },
        { do: 'line', line: '{"type":"new","x":1}' },
        { do: 'line', line: '[1]' },
      ]),
    )
    expect(events.filter(({ type }) => type === 'unknown').map(({ raw }) => raw)).toEqual([
      'no json',
      { type: 'new', x: 1 },
      [1],
    ])
  })

  it('runs concurrently with others', async () => {
    const results = await Promise.all(['a', 'b', 'c'].map((text) => start([{ do: 'say', text }]).result))
    expect(results.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  })

  it('writes to its sink, in order, before the consumer gets an event', async () => {
    const written: Event[] = []
    const run = start(
      [
        { do: 'say', text: 'a' },
        { do: 'say', text: 'b' },
      ],
      {
        sink: { write: async (event) => void written.push(await sleep(5, event)) },
      },
    )
    for await (const event of run) expect(written).toContain(event)
    expect(types(written)).toEqual(['session', 'status', 'text', 'text', 'done'])
  })

  it('ends even if its sink always fails', async () => {
    const run = start([{ do: 'say', text: 'a' }], {
      sink: {
        write: () => {
          throw new Error('disk full')
        },
      },
    })
    expect(types(await collect(run)).at(-1)).toBe('done')
    expect(await run.result).toMatchObject({ ok: false, error: { message: 'disk full' } })
  })

  it('ends when its sink fails, and leaves nothing behind', async () => {
    const run = start([{ do: 'say', text: 'a' }, { do: 'hang' }], {
      sink: {
        write: (event) => {
          if (event.type === 'text') throw new Error('disk full')
        },
      },
    })
    expect(await run.result).toMatchObject({ ok: false, error: { message: 'disk full' } })
    expect(await left()).toEqual([])
  })
})

describe('a failure', () => {
  const last = async (run: Run) => {
    const events = await collect(run)
    expect(types(events)[0]).toBe('session')
    expect(types(events).at(-1)).toBe('done')
    expect(types(events).filter((type) => type === 'session' || type === 'done')).toHaveLength(2)
    return events.at(-2)
  }

  it('of the CLI is an error event with a code', async () => {
    const run = start([{ do: 'fail', message: 'Too many requests', status: 429 }])
    expect(await last(run)).toMatchObject({
      type: 'error',
      code: 'rate_limit',
      retryable: true,
      severity: 'error',
    })
    expect(await run.result).toMatchObject({
      ok: false,
      error: { code: 'rate_limit', hint: expect.any(String) as string },
      exitCode: 1,
    })
  })

  it('without output is a crash with the message of standard error', async () => {
    const run = start([
      { do: 'error', text: 'Segmentation fault' },
      { do: 'exit', code: 139 },
    ])
    expect(await last(run)).toMatchObject({ code: 'crashed', message: 'Segmentation fault' })
    expect(await run.result).toMatchObject({ exitCode: 139, stderr: 'Segmentation fault\n' })
  })

  it('to find the CLI has a hint how to install it', async () => {
    const run = startRun(cli.agent, { prompt: 'hi', env: { PATH: cli.folder, HOME: cli.folder } })
    expect(await last(run)).toMatchObject({
      code: 'agent_missing',
      hint: expect.stringContaining('npm install -g fake') as string,
    })
  })

  it.each([
    [{ cwd: '/no/such/folder' }, 'input', 'does not exist'],
    [{ effort: 'high' }, 'unsupported', 'the option effort'],
    [{ media: [{ path: 'missing.png' }] }, 'input', 'missing.png'],
    [{ extraArgs: ['x'.repeat(200_000)] }, 'input', 'too long'],
  ] as const)('by %j comes before the start', async (options, code, message) => {
    const error = await last(start([], options))
    expect(error).toMatchObject({ type: 'error', code, message: expect.stringContaining(message) as string })
    expect(await cli.notes('starts')).toEqual([])
  })

  it.each([
    [{ prompt: ' ' }, 'the prompt is empty'],
    [{ prompt: 'x', mode: '' }, 'option mode'],
    [{ prompt: 'x', promt: 'y' }, 'promt'],
    [{ prompt: 'x', resume: 'a', sessionId: 'b' }, 'exclude'],
    [{ prompt: 'x', resume: 'a', conversation: 'b' }, 'excludes'],
    [{ prompt: 'x', fork: true }, 'fork needs resume'],
    [{ prompt: 'x', timeouts: { idle: -1 } }, 'timeouts.idle'],
    [{ prompt: 'x', output: 'yaml' }, 'output'],
    [{ prompt: 'x', output: { type: 'nonsense' } }, 'option output'],
  ])('of the caller throws at once: %j', (options, message) => {
    expect(() => startRun(cli.agent, options as RunOptions)).toThrow(message)
  })
})

describe('ending', () => {
  const endless: Step[] = [
    { do: 'say', text: 'x' },
    { do: 'spawn' },
    { do: 'say', text: 'y' },
    { do: 'hang' },
  ]

  it('by cancel leaves nothing behind', async () => {
    const run = start(endless)
    const seen: Event[] = []
    for await (const event of run) {
      seen.push(event)
      if (event.type === 'text' && event.text === 'y') void run.cancel()
    }
    expect(types(seen).slice(-2)).toEqual(['error', 'done'])
    expect(await run.result).toMatchObject({
      ok: false,
      stopReason: 'cancelled',
      error: { code: 'aborted' },
      text: 'xy',
    })
    expect(await left()).toEqual([])
  })

  it('by break leaves nothing behind', async () => {
    const run = start(endless)
    for await (const event of run) if (event.type === 'text' && event.text === 'y') break
    expect(await left()).toEqual([])
    expect(await run.result).toMatchObject({ ok: false, error: { code: 'aborted' } })
  })

  it('by the signal leaves nothing behind, also before the start', async () => {
    const controller = new AbortController()
    const run = start(endless, { signal: controller.signal })
    for await (const event of run) if (event.type === 'text' && event.text === 'y') controller.abort()
    expect(await left()).toEqual([])
    const never = start(endless, { signal: AbortSignal.abort() })
    expect(await never.result).toMatchObject({ error: { code: 'aborted' } })
    expect(await cli.notes('starts')).toHaveLength(1)
  })

  it('by `await using` leaves nothing behind', async () => {
    {
      await using run = start(endless)
      const events = run[Symbol.asyncIterator]()
      while (!(await cli.notes('children')).length) await events.next()
    }
    expect(await left()).toEqual([])
  })

  it.each([
    ['startup', [{ do: 'mute' }], { startup: 300 }],
    ['idle', endless, { idle: 300 }],
    ['total', endless, { total: 1500 }],
  ] as const)('by the %s timeout leaves nothing', async (name, steps, timeouts) => {
    const run = start(steps, { timeouts })
    expect(await run.result).toMatchObject({ ok: false, error: { code: `timeout_${name}` } })
    expect(await left()).toEqual([])
  })

  it('does not wait for processes that the CLI left running on purpose', async () => {
    const run = start([{ do: 'spawn' }, { do: 'say', text: 'bye' }])
    expect(await run.result).toMatchObject({ ok: true, text: 'bye' })
    // It holds standard output open and runs on, as a server would.
    const [child] = (await cli.notes('children')).map(Number)
    process.kill(child!, 'SIGKILL')
  })
})

describe('a process left by a failed CLI', () => {
  it('is ended with the run', async () => {
    const run = start([{ do: 'spawn' }, { do: 'fail', message: 'bad request', status: 400 }])
    expect(await run.result).toMatchObject({ ok: false })
    expect(await left()).toEqual([])
  })

  it('is ended after a crash by a signal', async () => {
    const run = start([{ do: 'spawn' }, { do: 'die' }])
    expect(await run.result).toMatchObject({
      signal: 'SIGKILL',
      error: { code: 'crashed', message: 'The agent was ended by SIGKILL' },
    })
    expect(await left()).toEqual([])
  })
})

describe('a slow reader', () => {
  it('does not stop the total timeout', async () => {
    const run = start([{ do: 'say', text: 'x' }, { do: 'hang' }], { timeouts: { total: 1000 } })
    const events = run[Symbol.asyncIterator]()
    await events.next()
    await sleep(3500)
    await expect.poll(left, { timeout: 30_000 }).toEqual([])
    while (!(await events.next()).done);
    expect(await run.result).toMatchObject({ error: { code: 'timeout_total' } })
  })

  it('gets all events, also of a CLI that has already exited', async () => {
    const run = start([
      { do: 'sleep', ms: 300 },
      { do: 'say', text: 'a' },
      { do: 'sleep', ms: 300 },
      { do: 'say', text: 'b' },
    ])
    const events = run[Symbol.asyncIterator]()
    await events.next()
    await expect
      .poll(async () => [(await cli.notes('starts')).length, await left()], { timeout: 30_000 })
      .toEqual([1, []])
    await sleep(2500)
    while (!(await events.next()).done);
    expect(await run.result).toMatchObject({ ok: true, text: 'ab' })
  })

  it('slows the CLI down, and its own time does not count as idle', async () => {
    const run = start([{ do: 'flood', megabytes: 40 }], { timeouts: { idle: 5_000 } })
    const events = run[Symbol.asyncIterator]()
    await events.next()
    await events.next()
    await sleep(6_000)
    const early = (await cli.notes('written')).length
    expect(early).toBeLessThan(100)
    while (!(await events.next()).done);
    expect(await run.result).toMatchObject({ ok: true })
    expect(await cli.notes('written')).toHaveLength(40 * 16)
  })
})

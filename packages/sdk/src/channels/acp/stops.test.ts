import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Event, fold } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../../api/connect.ts'
import { isRunning } from '../../process/owner.ts'
import { fakeAgent } from './fake-agent/command.test-data.ts'
import { collectEvents, talk } from './session.test-data.ts'
import { tool } from './tools/tool.ts'

const collected = () => {
  const events: Event[] = []
  return { events, sink: { write: (event: Event) => void events.push(event) } }
}

describe('a stopped turn', () => {
  it('is over although many events are unread', async () => {
    await using talking = await talk()
    for await (const event of talking.session.prompt('chunks 60000')) {
      if (event.type !== 'text') continue
      await sleep(500)
      break
    }
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('is over although the sink is slow', async () => {
    const sink = { write: () => sleep(20) }
    await using talking = await talk({ sink })
    const run = talking.session.prompt('chunks 300\nwait')
    await sleep(200)
    await talking.session.cancel()
    expect(await run.result).toMatchObject({ ok: false, error: { code: 'aborted' } })
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('makes room for the next one, whether or not it is read', async () => {
    await using talking = await talk()
    void talking.session.prompt('say one')
    await talking.session.cancel()
    expect((await talking.say('say two')).text).toBe('two')
    void talking.session.prompt('wait', { deadline: 100 })
    expect((await talking.say('say three')).text).toBe('three')
    void talking.session.prompt('wait')
    expect((await talking.session.sendNow('say four').result).text).toBe('four')
  })

  it('does not wait for a check that never ends', async () => {
    await using talking = await talk()
    const result = await talking.say('say one', { until: () => new Promise(() => {}), deadline: 200 })
    expect(result.error?.code).toBe('timeout_total')
  })

  it('has its own entity even if it never started', async () => {
    await using talking = await talk()
    const signal = AbortSignal.abort()
    const ends = await Promise.all(
      [1, 2].map(async () => (await collectEvents(talking.session.prompt('say one', { signal }))).at(-1)),
    )
    expect(new Set(ends.map((event) => event?.entity)).size).toBe(2)
  })
})

describe('a restart', () => {
  it('lets waiting prompts continue', async () => {
    await using talking = await talk()
    const first = talking.session.prompt('hang')
    const second = talking.session.prompt('say two')
    await sleep(100)
    await talking.connection.restart()
    expect((await first.result).error?.code).toBe('crashed')
    expect((await second.result).text).toBe('two')
  })

  it('happens once at a time, and not after the end', async () => {
    await using talking = await talk()
    const { pid } = talking.connection
    await Promise.all([talking.connection.restart(), talking.connection.restart()])
    const { pid: next } = talking.connection
    expect(next).not.toBe(pid)
    const restarting = talking.connection.restart().catch((error: unknown) => error)
    await talking.connection.close()
    expect(await restarting).toMatchObject({ code: 'usage' })
    // The process being started was ended.
    await expect.poll(() => isRunning({ pid: talking.connection.pid }), { timeout: 30_000 }).toBe(false)
  })

  it('names the session that could not be loaded', async () => {
    const { events, sink } = collected()
    await using talking = await talk({ sink }, {}, { capabilities: {} })
    await talking.connection.restart()
    expect((await talking.say('say one')).error).toMatchObject({ code: 'not_found' })
    expect(events.some((event) => event.type === 'error' && event.code === 'not_found')).toBe(true)
  })

  it('keeps calls with the same id apart', async () => {
    const { events, sink } = collected()
    await using talking = await talk({ sink, permissions: 'deny' })
    await talking.say('tool write')
    await talking.connection.restart()
    await talking.say('tool-plain read')
    const results = events.filter((event) => event.type === 'tool_result')
    expect(results.map(({ status }) => status)).toEqual(['denied', 'success'])
    expect(fold(events).filter(({ role }) => role === 'user')).toHaveLength(2)
  })
})

it('ends running calls with the agent', async () => {
  const { events, sink } = collected()
  const asks = { ask: (_: unknown, { signal }: { signal: AbortSignal }) => forever(signal) }
  await using talking = await talk({ sink, asks })
  const run = talking.session.prompt('ask-first write')
  for await (const event of run) if (event.type === 'ask') process.kill(talking.connection.pid, 'SIGKILL')
  expect((await run.result).error?.code).toBe('crashed')
  expect(events.find((event) => event.type === 'answer')).toMatchObject({ answer: { by: 'cancel' } })
  expect(events.find((event) => event.type === 'tool_result')).toMatchObject({ status: 'cancelled' })
})

it('stops the agent when its events cannot be recorded', async () => {
  let broken = true
  const sink = {
    write(event: Event) {
      if (broken && event.type === 'text') throw new Error('The disk is full')
    },
  }
  await using talking = await talk({ sink, files: { write: true } })
  const path = join(talking.cwd, 'late.txt')
  expect((await talking.say(`say one\nwait 300\nfs-write ${path} words`)).error?.message).toBe(
    'The disk is full',
  )
  await sleep(400)
  await expect(readFile(path)).rejects.toThrow()
  expect((await talking.say('say two')).error?.message).toBe('The disk is full')
  broken = false
  await talking.connection.restart()
  expect((await talking.say('say three')).text).toBe('three')
})

it('stores its own events before it emits them', async () => {
  const stored: Event[] = []
  const sink = {
    async write(event: Event) {
      await sleep(30)
      stored.push(event)
    },
  }
  await using talking = await talk({ sink })
  const run = talking.session.prompt('wait', { deadline: 300 })
  for await (const event of run) expect(stored).toContain(event)
})

describe('opening', () => {
  it('is not blocked by a reader that does not read', async () => {
    await using talking = await talk()
    const run = talking.session.prompt('chunks 60000')[Symbol.asyncIterator]()
    await run.next()
    await sleep(300)
    const other = await talking.connection.open({ cwd: talking.cwd, structuredOutput: false })
    expect((await other.prompt('say other').result).text).toBe('other')
    await run.return?.()
  })

  it('ends with its signal', async () => {
    const connection = await connect(fakeAgent({ replies: { 'session/new': 'never' } }))
    const signal = AbortSignal.timeout(100)
    await expect(connection.open({ cwd: '/', signal })).rejects.toMatchObject({ code: 'aborted' })
    await connection.close()
  })

  it('ends with the connection', async () => {
    const connection = await connect(fakeAgent({ delays: { 'session/new': 300 }, stays: true }))
    const opening = connection.open({ cwd: '/' }).catch((error: unknown) => error)
    await sleep(100)
    await connection.close()
    expect(await opening).toMatchObject({ code: expect.stringMatching(/usage|crashed/) as string })
  })

  it('is refused with an aborted signal', async () => {
    const signal = AbortSignal.abort()
    await expect(connect(fakeAgent(), { signal })).rejects.toMatchObject({ code: 'aborted' })
  })
})

// These tests take seconds, so that an agent that waits for the CPU does not seem silent.
it('does not count our own work, or the reader’s, as silence', async () => {
  const slow = tool({
    name: 'slow',
    description: 'Takes its time',
    input: z.object({}),
    run: async () => {
      await sleep(4_000)
      return 'done'
    },
  })
  await using talking = await talk(
    { stuck: { afterMs: 2_500, act: 'cancel' }, terminals: true },
    { tools: [slow] },
  )
  expect((await talking.say('call-tool slow {}')).text).toContain('done')
  expect((await talking.say('terminal sleep 4')).text).toContain('exit 0')
  const run = talking.session.prompt('say one\nwait 100\nsay two')
  for await (const event of run) if (event.type === 'text') await sleep(3_000)
  expect((await run.result).ok).toBe(true)
})

it('counts tokens even if the answer is too large to be kept', async () => {
  await using talking = await talk()
  const { usage, truncated } = await talking.say('big 9\nusage 5000')
  expect({ truncated, total: usage.totalTokens }).toEqual({ truncated: true, total: 5_000 })
})

function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
}

import { setTimeout as sleep } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { collectEvents, talk } from './session.test-data.ts'

// Nothing waits forever for agents that do not answer, readers that do not read, or slow sinks.

describe('an agent that no longer reads', () => {
  it('is ended by a deadline although messages do not reach it', async () => {
    await using talking = await talk()
    process.kill(talking.connection.pid, 'SIGSTOP')
    const result = await talking.say(`say ${'x'.repeat(2_000_000)}`, { deadline: 200 })
    expect(result.error?.code).toBe('timeout_total')
  })

  it('does not block closing a session', async () => {
    const capabilities = { loadSession: true, sessionCapabilities: { close: {} } }
    await using talking = await talk({}, {}, { capabilities, replies: { 'session/close': 'never' } })
    await Promise.all([talking.session.close(), talking.session.close()])
    expect(talking.connection.sessions).toEqual([])
  })
})

describe('an unread prompt', () => {
  it('makes room for the next one when it is answered', async () => {
    await using talking = await talk()
    void talking.session.prompt('chunks 5000')
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('does not wait for data after it is stopped', async () => {
    await using talking = await talk({}, { structuredOutput: true })
    const output = z.object({ n: z.number() })
    void talking.session.prompt('wait', { output, deadline: 100 })
    await sleep(200)
    expect((await talking.session.prompt('structured {"n":1}', { output }).result).data).toEqual({ n: 1 })
  })

  it('does not block closing another session', async () => {
    const capabilities = { sessionCapabilities: { close: {} } }
    await using talking = await talk({}, {}, { capabilities })
    const other = await talking.connection.open({ cwd: talking.cwd })
    const reading = talking.session.prompt('chunks 60000')[Symbol.asyncIterator]()
    await reading.next()
    await sleep(300)
    await other.close()
    expect(talking.connection.sessions.map(({ id }) => id)).toEqual([talking.session.id])
    await reading.return?.()
  })
})

describe('a cancelled prompt', () => {
  it('is never sent if the agent is restarting', async () => {
    await using talking = await talk({}, {}, { delays: { 'session/load': 3_000 } })
    const restarting = talking.connection.restart()
    await sleep(100)
    const run = talking.session.prompt('say one')
    await sleep(50)
    await run.cancel()
    await restarting
    expect((await run.result).error?.code).toBe('aborted')
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('does not wait for its turn', async () => {
    await using talking = await talk()
    const first = talking.session.prompt('wait')
    const late = await talking.say('say two', { signal: AbortSignal.abort() })
    expect(late.error?.code).toBe('aborted')
    expect(talking.session.waiting).toBe(1)
    await first.cancel()
  })

  it('fails nothing else when its own check cancels it', async () => {
    await using talking = await talk()
    const until = async () => {
      void talking.session.cancel()
      await sleep(10)
      throw new Error('too late')
    }
    expect((await talking.say('say one', { until })).error?.code).toBe('aborted')
    await sleep(50)
  })
})

describe('a restart', () => {
  it('keeps mode and model, however often', async () => {
    const modes = { currentModeId: 'default', availableModes: [{ id: 'default' }, { id: 'plan' }] }
    const models = { currentModelId: 'x', availableModels: [{ modelId: 'x' }, { modelId: 'y' }] }
    await using talking = await talk({}, { mode: 'plan', model: 'y' }, { modes, models })
    for (let times = 0; times < 2; times++) {
      await talking.connection.restart()
      expect([talking.session.modes.current, talking.session.models.current]).toEqual(['plan', 'y'])
    }
  })

  it('does not count as silence of the agent', async () => {
    await using talking = await talk(
      { stuck: { afterMs: 3_000, act: 'cancel' } },
      {},
      { delays: { 'session/load': 4_500 } },
    )
    const restarting = talking.connection.restart()
    await sleep(50)
    expect((await talking.say('say two')).text).toBe('two')
    await restarting
  })
})

describe('a slow sink', () => {
  it('does not make the agent seem silent', async () => {
    const sink = { write: ({ type }: Event) => sleep(type === 'text' ? 3_500 : 0) }
    await using talking = await talk({ sink, stuck: { afterMs: 2_500, act: 'cancel' } })
    expect(await talking.say('say one\nsay two')).toMatchObject({ ok: true, text: 'onetwo' })
  })

  it('receives the last messages of an agent that dies', async () => {
    const sink = { write: () => sleep(60) }
    await using talking = await talk({ sink })
    const { text, error } = await talking.say('say a\nsay b\ndie')
    expect({ text, code: error?.code }).toEqual({ text: 'abI die', code: 'crashed' })
  })

  it('has the first events before the first run is emitted', async () => {
    const sink = { write: () => sleep(5) }
    await using talking = await talk({ sink })
    const types = (await collectEvents(talking.session.prompt('say one'))).map(({ type }) => type)
    expect(types).toEqual(['session', 'message', 'text', 'done'])
  })
})

it('emits the session as it was opened, not by its title update', async () => {
  const title = { sessionUpdate: 'session_info_update', title: 'A title' }
  await using talking = await talk({}, { resume: 'fake-session-1' }, { before: { 'session/load': [title] } })
  const [first] = await collectEvents(talking.session.prompt('say one'))
  expect(first).toMatchObject({ type: 'session', cwd: talking.cwd, resumed: true })
})

it('never writes a file after the run has ended', async () => {
  await using talking = await talk({ files: { write: true } })
  const path = join(talking.cwd, 'late.txt')
  await talking.say(`say one\nwait 300\nfs-write ${path} words`, { deadline: 100 })
  await sleep(400)
  await expect(readFile(path)).rejects.toThrow()
})

import { setTimeout as sleep } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventsOf, talk } from './session.test-data.ts'

// Agents that do not answer, readers who do not read and sinks that take their time: nothing waits for them for ever.

describe('an agent that hears nothing any more', () => {
  it('is ended by a deadline, although what it is told does not go through', async () => {
    await using talking = await talk()
    process.kill(talking.connection.pid, 'SIGSTOP')
    const result = await talking.say(`say ${'x'.repeat(2_000_000)}`, { deadline: 200 })
    expect(result.error?.code).toBe('timeout_total')
  })

  it('lets go of a session, or not', async () => {
    const capabilities = { loadSession: true, sessionCapabilities: { close: {} } }
    await using talking = await talk({}, {}, { capabilities, replies: { 'session/close': 'never' } })
    await Promise.all([talking.session.close(), talking.session.close()])
    expect(talking.connection.sessions).toEqual([])
  })
})

describe('a prompt that nobody reads', () => {
  it('makes room for the next one when it is answered', async () => {
    await using talking = await talk()
    void talking.session.prompt('chunks 5000')
    expect((await talking.say('say two')).text).toBe('two')
  })

  it('waits for no more data once it is stopped', async () => {
    await using talking = await talk({}, { structuredOutput: true })
    const output = z.object({ n: z.number() })
    void talking.session.prompt('wait', { output, deadline: 100 })
    await sleep(200)
    expect((await talking.session.prompt('structured {"n":1}', { output }).result).data).toEqual({ n: 1 })
  })

  it('does not keep another session from being closed', async () => {
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

describe('a prompt that is cancelled', () => {
  it('while the agent is started again is never sent', async () => {
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

  it('before it begins does not wait for its turn', async () => {
    await using talking = await talk()
    const first = talking.session.prompt('wait')
    const late = await talking.say('say two', { signal: AbortSignal.abort() })
    expect(late.error?.code).toBe('aborted')
    expect(talking.session.waiting).toBe(1)
    await first.cancel()
  })

  it('by its own check fails nothing else', async () => {
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

  it('is no silence of the agent', async () => {
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

describe('a sink that takes its time', () => {
  it('makes no silence of the agent', async () => {
    const sink = { write: ({ type }: Event) => sleep(type === 'text' ? 3_500 : 0) }
    await using talking = await talk({ sink, stuck: { afterMs: 2_500, act: 'cancel' } })
    expect(await talking.say('say one\nsay two')).toMatchObject({ ok: true, text: 'onetwo' })
  })

  it('hears the last words of an agent that dies', async () => {
    const sink = { write: () => sleep(60) }
    await using talking = await talk({ sink })
    const { text, error } = await talking.say('say a\nsay b\ndie')
    expect({ text, code: error?.code }).toEqual({ text: 'abI die', code: 'crashed' })
  })

  it('has the beginning before the first run is told', async () => {
    const sink = { write: () => sleep(5) }
    await using talking = await talk({ sink })
    const types = (await eventsOf(talking.session.prompt('say one'))).map(({ type }) => type)
    expect(types).toEqual(['session', 'message', 'text', 'done'])
  })
})

it('tells of a session by what opened it, not by its title', async () => {
  const title = { sessionUpdate: 'session_info_update', title: 'A title' }
  await using talking = await talk({}, { resume: 'fake-session-1' }, { before: { 'session/load': [title] } })
  const [first] = await eventsOf(talking.session.prompt('say one'))
  expect(first).toMatchObject({ type: 'session', cwd: talking.cwd, resumed: true })
})

it('never writes a file after the run was told to be over', async () => {
  await using talking = await talk({ files: { write: true } })
  const path = join(talking.cwd, 'late.txt')
  await talking.say(`say one\nwait 300\nfs-write ${path} words`, { deadline: 100 })
  await sleep(400)
  await expect(readFile(path)).rejects.toThrow()
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Event } from '@remora/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../api/connect.ts'
import { isRunning } from '../../process/owner.ts'
import { fakeAgent } from './fake-agent/command.test-data.ts'
import { collectEvents, talk } from './session.test-data.ts'

describe('opening', () => {
  it('requires an existing folder', async () => {
    await expect(talk({}, { cwd: 'here' })).rejects.toMatchObject({ code: 'usage' })
    await expect(talk({}, { cwd: join(tmpdir(), 'remora-missing') })).rejects.toMatchObject({ code: 'input' })
  })

  const modes = { currentModeId: 'a', availableModes: [{ id: 'a' }, { id: 'b' }] }
  const models = { currentModelId: 'x', availableModels: [{ modelId: 'x' }, { modelId: 'y' }] }

  it('checks mode and model against the offered ones', async () => {
    await using talking = await talk({}, { mode: 'b', model: 'y' }, { modes, models })
    expect([talking.session.modes.current, talking.session.models.current]).toEqual(['b', 'y'])
    await expect(talk({}, { mode: 'c' }, { modes })).rejects.toMatchObject({
      code: 'unsupported',
      hint: 'It offers: a, b',
    })
    await expect(talk({}, { model: 'z' }, { models })).rejects.toMatchObject({
      code: 'model_not_found',
      hint: 'It offers: x, y',
    })
  })

  it('continues if a mode cannot be set, unless it is a restricting one', async () => {
    const replies = { 'session/set_mode': { error: { code: -32603, message: 'not now' } } }
    await using talking = await talk({}, { mode: 'b' }, { modes, replies })
    expect(talking.session.modes.current).toBe('a')
    const strict = { currentModeId: 'a', availableModes: [{ id: 'a' }, { id: 'plan' }] }
    await expect(talk({}, { mode: 'plan' }, { modes: strict, replies })).rejects.toMatchObject({
      message: 'fake: not now',
    })
  })

  it('explains how to sign in', async () => {
    const replies = { 'session/new': { error: { code: -32000, message: 'No key' } } }
    const authMethods = [{ id: 'key', name: 'A key' }]
    await expect(talk({}, {}, { replies, authMethods })).rejects.toMatchObject({
      code: 'auth',
      message: 'fake: No key',
      hint: 'Sign in with fake itself, or set its key. Its ways: key.',
      signIn: authMethods,
    })
  })

  it('signs in by the chosen method, only if the agent demands it and offers the method', async () => {
    const authMethods = [{ id: 'key', name: 'A key' }]
    const record = join(mkdtempSync(join(tmpdir(), 'remora-sign-in-')), 'heard.jsonl')
    onTestFinished(() => rmSync(dirname(record), { recursive: true }))
    const demanding = { signIn: 'key', authMethods, record }
    await expect(talk({}, { signIn: 'browser' }, demanding)).rejects.toMatchObject({
      code: 'usage',
      message: 'fake does not offer the sign-in method "browser"',
      signIn: authMethods,
    })
    expect(readFileSync(record, 'utf8')).not.toContain('authenticate')
    await using signedIn = await talk({}, { signIn: 'key' }, demanding)
    expect(await signedIn.say('say hello')).toMatchObject({ ok: true, text: 'hello' })
    expect(readFileSync(record, 'utf8').match(/"authenticate"/g)).toHaveLength(1)
    rmSync(record)
    await using open = await talk({}, { signIn: 'key' }, { authMethods, record })
    expect(open.session.id).toBeTruthy()
    expect(readFileSync(record, 'utf8')).not.toContain('authenticate')
  })

  it('does not emit a replay as new events', async () => {
    const stored: Event[] = []
    const sink = { write: (event: Event) => void stored.push(event) }
    const replay = ['user hello', 'agent hi']
    await using talking = await talk(
      { sink },
      { resume: 'fake-session-1' },
      { before: { 'session/load': replay }, after: { 'session/load': replay } },
    )
    const types = (await collectEvents(talking.session.prompt('say new'))).map(({ type }) => type)
    expect(types).toEqual(['session', 'message', 'text', 'done'])
    expect(stored.filter(({ type }) => type === 'text' || type === 'message')).toHaveLength(2)
  })

  it('names what is missing', async () => {
    await expect(talk({}, {}, { protocolVersion: 2 })).rejects.toMatchObject({ code: 'unsupported' })
    await expect(
      talk({ startupTimeout: 200 }, {}, { replies: { initialize: 'never' } }),
    ).rejects.toMatchObject({ code: 'timeout_startup' })
    await expect(connect({ command: 'no-such-agent' })).rejects.toMatchObject({ code: 'agent_missing' })
    await expect(connect('nobody')).rejects.toMatchObject({ code: 'usage' })
    await expect(connect('kiro')).rejects.toMatchObject({ code: 'unsupported' })
  })
})

describe('the end', () => {
  it('leaves no process, even of an agent that keeps running', async () => {
    const connection = await connect(fakeAgent({ stays: true }))
    const session = await connection.open({ cwd: tmpdir() })
    const { text } = await session.prompt('children detached').result
    const child = Number(/\d+/.exec(text)?.[0])
    expect(await isRunning({ pid: child })).toBe(true)
    await connection.close()
    expect(await isRunning({ pid: connection.pid })).toBe(false)
    expect(await isRunning({ pid: child })).toBe(false)
    await expect(connection.open({ cwd: tmpdir() })).rejects.toMatchObject({ code: 'usage' })
    expect((await session.prompt('say one').result).error).toMatchObject({ code: 'usage' })
  })

  it('of one session does not end another', async () => {
    await using talking = await talk()
    const other = await talking.connection.open({ cwd: talking.cwd })
    const running = other.prompt('wait')
    await other.close()
    expect((await running.result).ok).toBe(false)
    expect((await talking.say('say one')).text).toBe('one')
  })
})

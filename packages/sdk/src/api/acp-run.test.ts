import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@remora/protocol/plain'
import { z } from 'zod'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAcpAgent } from '../channels/acp/command-agent.ts'
import { fakeAgent } from '../channels/acp/fake-agent/command.test-data.ts'
import type { RunOptions } from '../channels/headless/options.ts'
import { run } from './run.ts'

let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'remora-acp-run-'))
})

afterEach(() => rmSync(cwd, { recursive: true, force: true }))

async function runFake(prompt: string, options: Partial<RunOptions> = {}, behaviour = {}) {
  const agent = createAcpAgent({ ...fakeAgent(behaviour), id: 'mine' })
  const running = run(agent, { prompt, cwd, ...options })
  const events: Event[] = []
  for await (const event of running) events.push(event)
  return { events, result: await running.result }
}

describe('a run of an agent that is known only by its ACP command', () => {
  it('has one session first, one done last, and the answer as its result', async () => {
    const stored: Event[] = []
    const sink = { write: (event: Event) => void stored.push(event) }
    const { events, result } = await runFake('say Hello.', { sink })
    expect(events[0]).toMatchObject({ type: 'session', agent: 'mine' })
    expect(events.filter(({ type }) => type === 'session' || type === 'done')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ type: 'done', ok: true })
    expect(result).toMatchObject({ ok: true, text: 'Hello.', sessionId: events[0]!.session })
    expect(stored.some(({ type }) => type === 'text')).toBe(true)
  })

  it('denies permission requests, and allows them in mode bypassPermissions', async () => {
    const denied = await runFake('tool execute make')
    expect(denied.result.permissionDenials).toHaveLength(1)
    expect(denied.events).toContainEqual(expect.objectContaining({ type: 'tool_result', status: 'denied' }))
    const modes = {
      currentModeId: 'default',
      availableModes: [{ id: 'default', name: 'Default' }],
    }
    const allowed = await runFake('tool execute make', { mode: 'bypassPermissions' }, { modes })
    expect(allowed.result).toMatchObject({ ok: true, permissionDenials: [] })
  })

  it('reports an agent that is missing or fails as an event and a result', async () => {
    const missing = run(createAcpAgent({ id: 'gone', command: '/nowhere/agent' }), { prompt: 'Hi', cwd })
    const types: string[] = []
    for await (const { type } of missing) types.push(type)
    expect(types).toEqual(['session', 'error', 'done'])
    expect((await missing.result).error).toMatchObject({ code: 'agent_missing' })

    const failed = await runFake('die 3')
    expect(failed.result).toMatchObject({ ok: false, error: { code: 'crashed' } })
    expect(failed.events.filter(({ type }) => type === 'error')).toHaveLength(1)
    expect(failed.events.at(-1)).toMatchObject({ type: 'done', ok: false })
  })

  it('refuses an option that ACP does not have, by its name', async () => {
    const { result } = await runFake('say Hi.', { effort: 'high' })
    expect(result.error).toMatchObject({ code: 'unsupported' })
    expect(result.error?.message).toContain('effort')
  })

  it('asks a second time for an answer that does not match the schema', async () => {
    const { events, result } = await runFake('say {"n": 3}', { output: z.object({ n: z.number() }) })
    expect(result.data).toEqual({ n: 3 })
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
    const other = await runFake('say No number.', { output: z.object({ n: z.number() }) })
    expect(other.result).toMatchObject({ ok: false, error: { code: 'unknown' } })
    expect(other.events.at(-1)).toMatchObject({ type: 'done', ok: false })
  })

  it('stops at the total timeout, and when it is cancelled', async () => {
    const late = await runFake('until never', { timeouts: { total: 1_500 } })
    expect(late.result.error).toMatchObject({ code: 'timeout_total' })
    const stop = new AbortController()
    const running = runFake('until never', { signal: stop.signal })
    stop.abort()
    expect((await running).result).toMatchObject({ ok: false, error: { code: 'aborted' } })
  })
})

import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fold } from '@remora/protocol'
import { sessions } from '@remora/sdk'
import { expect, it, vi } from 'vitest'
import type { Home } from '../home.ts'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { getEnds, say, getTexts } from './taken.ts'

/** Sessions that go on, in this agent or after it. */
export function testResuming(stage: () => Stage, { cannot, core = false }: AcpContractOptions) {
  it('goes on with a session', async () => {
    const { connection, home, heard } = stage()
    const { id } = await begun(stage())
    if (cannot.includes('load')) {
      await expect(connection.open({ cwd: home.cwd, resume: id })).rejects.toMatchObject({
        code: 'unsupported',
      })
      return
    }
    await makeOlder(home, id)
    const from = heard.length
    await using session = await stage().open({ resume: id })
    expect(session.id).toBe(id)
    // What was said before is told again by many agents, and is not told as if it happened now.
    expect(getTexts(heard.slice(from).filter((event) => event.session === id))).toEqual([])
    const { events, result } = await say(session, 'SAY: what was next')
    expect(result).toMatchObject({ ok: true, text: 'what was next', sessionId: id })
    expect(events[0]).toMatchObject({ type: 'session', resumed: true })
    expect(getTexts(events)).toEqual(['user: SAY: what was next', 'assistant: what was next'])
    expect(stage().bodyOf('SAY: what was next')).toContain('what was first')
  })
  if (core) return

  it('goes on in a copy of a session', async () => {
    const { connection, home } = stage()
    const where = getPlace(stage())
    const { id } = await begun(stage())
    if (cannot.includes('fork')) {
      await expect(connection.open({ cwd: home.cwd, resume: id, fork: true })).rejects.toMatchObject({
        code: 'unsupported',
      })
      return
    }
    // Some write their file a moment after they have answered.
    const before = await vi.waitFor(
      async () => {
        const messages = await sessions.messages(id, where)
        expect(messages.length).toBeGreaterThan(1)
        return messages
      },
      { timeout: 60_000, interval: 50 },
    )
    await using session = await stage().open({ resume: id, fork: true })
    expect(session.id).not.toBe(id)
    const { result } = await say(session, 'SAY: what else was next')
    expect(result).toMatchObject({ ok: true, text: 'what else was next', sessionId: session.id })
    expect(stage().bodyOf('SAY: what else was next')).toContain('what was first')
    expect(await sessions.messages(id, where)).toEqual(before)
  })

  it('knows no session that never was', async () => {
    const { connection, home } = stage()
    const resume = '00000000-0000-4000-8000-000000000000'
    await expect(connection.open({ cwd: home.cwd, resume })).rejects.toMatchObject({
      code: cannot.includes('load') ? 'unsupported' : 'not_found',
    })
  })

  it('tells the same as the file of the session', async () => {
    await using session = await stage().open()
    await say(session, 'THINK: Planning: the file\nSAY: I write it\nWRITE: joined.txt hello')
    const { result } = await say(session, 'SAY: all is said')
    expect(result.ok).toBe(true)
    const live = stage().heard.filter((event) => event.session === session.id)
    const where = getPlace(stage())
    const told = async () => sessions.events(session.id, where)
    await vi.waitFor(async () => expect(getTexts(await told())).toContain('assistant: all is said'), {
      timeout: 60_000,
    })
    const filed = await told()
    expect([...getEnds(live).keys()]).toEqual([...getEnds(filed).keys()])
    const joined = fold([...live, ...filed])
    const count = (role: string) => joined.filter((each) => each.role === role && !each.context).length
    expect(getTexts([...live, ...filed])).toEqual(getTexts(filed))
    const prompts = fold(filed).filter((each) => each.role === 'user' && !each.context).length
    expect(count('user')).toBe(prompts)
  })
}

/** A session with one answer, closed again. */
export async function begun(stage: Stage): Promise<{ id: string }> {
  await using session = await stage.open()
  const { result } = await say(session, 'SAY: what was first')
  expect(result).toMatchObject({ ok: true, text: 'what was first' })
  return { id: session.id }
}

/**
 * Gemini must not load a session in the minute in which its file was made, so that we would wait for the next: the name
 * of the file then tells an earlier one.
 */
export async function makeOlder(home: Home, id: string): Promise<void> {
  if (home.agent !== 'gemini') return
  const found = await sessions.find(id, { home: home.path, env: home.env })
  for (const path of found?.files ?? []) {
    const name = basename(path).replace(/^session-[\d-]+T[\d-]{5}/, 'session-2026-01-02T03-04')
    await rename(path, join(dirname(path), name))
  }
}

function getPlace({ home }: Stage) {
  return { home: home.path, env: home.env }
}

import type { Event } from '@remora/protocol'
import type { Run, Session } from '@remora/sdk'
import { expect, it, vi } from 'vitest'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { type Taken, getEnds, read, say, words } from './taken.ts'

const cancelled = { ok: false, stopReason: 'cancelled', error: { code: 'aborted' } }

/** A turn that is broken off in each of its phases; the session goes on every time. */
export function testCancelling(
  stage: () => Stage,
  { cannot, commandMode, core = false }: AcpContractOptions,
) {
  it('is cancelled before the first word', async () => {
    await using session = await stage().open()
    const taken = read(session.prompt('FAULT: silence'))
    await stage().model.waitFor(({ kind, prompt }) => kind === 'turn' && prompt === 'FAULT: silence')
    await session.cancel()
    expect((await taken).result).toMatchObject({ ...cancelled, text: '' })
    await goesOn(session)
  })

  it('is cancelled in mid-answer', async () => {
    await using session = await stage().open()
    const run = session.prompt(`SLOW 50\nSAY: ${words(200)}`)
    const { events, result } = await whenHeard(run, 'text', () => run.cancel())
    expect(result).toMatchObject(cancelled)
    expect(events.some(({ type }) => type === 'text')).toBe(true)
    expect(result.text.length).toBeLessThan(900)
    await goesOn(session)
  })

  it('is cancelled while it waits for a person', async () => {
    await using session = await stage().open({}, () => 'silence')
    const run = session.prompt('WRITE: waiting.txt hello')
    const { events, result } = await whenHeard(run, 'ask', () => session.cancel())
    expect(result).toMatchObject(cancelled)
    expect(events.find((event) => event.type === 'answer')).toMatchObject({ answer: { by: 'cancel' } })
    expect([...getEnds(events).values()]).toEqual(['cancelled'])
    expect(await stage().home.files()).not.toContain('waiting.txt')
    stage().people.answerBy(session, () => 'allow')
    await goesOn(session)
  })

  it('takes a cancel when it does nothing', async () => {
    await using session = await stage().open()
    await session.cancel()
    await goesOn(session)
    await session.cancel()
    await goesOn(session)
    // Some agents complain about it, so they are not told.
    const told = stage().heard.filter((event) => event.session === session.id && event.type === 'status')
    expect(told).not.toContainEqual(expect.objectContaining({ detail: 'cancel' }))
  })
  if (core) return

  it('is cancelled while a command runs', async () => {
    const { home } = stage()
    await using session = await stage().open(commandMode === undefined ? {} : { mode: commandMode })
    // Claude Code 2.1.326 refuses a bare `sleep`.
    const running = async () =>
      (await home.leftovers()).filter(({ command }) => command.startsWith('tail -f /dev/null')).length
    const run = session.prompt('RUN: tail -f /dev/null')
    const taken = read(run)
    await vi.waitFor(async () => expect(await running()).toBe(1), { timeout: 60_000 })
    await run.cancel()
    const { events, result } = await taken
    expect(result).toMatchObject(cancelled)
    for (const status of getEnds(events).values()) expect(status).not.toBe('open')
    if (cannot.includes('end commands')) expect(await running()).toBe(1)
    else await vi.waitFor(async () => expect(await running()).toBe(0), { timeout: 60_000 })
    await goesOn(session)
  })

  it('is cancelled by a deadline that passes', async () => {
    await using session = await stage().open()
    const { events, result } = await say(session, `SLOW 50\nSAY: ${words(200)}`, { deadline: 1_000 })
    expect(result).toMatchObject({ ok: false, stopReason: 'cancelled', error: { code: 'timeout_total' } })
    expect(events.at(-1)).toMatchObject({ type: 'done', ok: false })
    await goesOn(session)
  })

  it('is cancelled by whoever stops reading', async () => {
    await using session = await stage().open()
    const run = session.prompt(`SLOW 50\nSAY: ${words(200)}`)
    for await (const event of run) if (event.type === 'text') break
    expect(await run.result).toMatchObject(cancelled)
    expect(session.waiting).toBe(0)
    await goesOn(session)
  })
}

async function goesOn(session: Session): Promise<void> {
  const { result } = await say(session, 'SAY: goes on')
  expect(result).toMatchObject({ ok: true, text: 'goes on' })
}

/** Reads a run, and does something once when an event of a kind has come. */
async function whenHeard(run: Run, type: Event['type'], act: () => Promise<void>): Promise<Taken> {
  let acting: Promise<void> | undefined
  const taken = await read(run, (event) => {
    if (event.type === type) acting ??= act()
  })
  await acting
  return taken
}

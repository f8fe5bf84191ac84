import { fold, getMessageText } from '@remora/protocol'
import type { Session } from '@remora/sdk'
import { expect, it, vi } from 'vitest'
import { expectStory, isErrorText, readWritten } from '../story.ts'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { getEnds, read, say, words } from './taken.ts'

/** What the user saw stays, whatever ended the turn. */
export function testInterrupting(stage: () => Stage, { cannot, keepsRetrying = false }: AcpContractOptions) {
  /** A turn after the others, which is written down by the time it returns. */
  async function sayLast(session: Session, text: string, isAnswered = true) {
    const { agent, home } = stage()
    const last = await say(session, `SAY: ${text}`)
    expect(last.result).toMatchObject(isAnswered ? { ok: true, text } : { ok: false, text: '' })
    await vi.waitFor(
      async () => {
        const written = fold(await readWritten(agent, home, session.id))
        expect(written.map((message) => getMessageText(message))).toContain(
          isAnswered ? text : `SAY: ${text}`,
        )
      },
      { timeout: 60_000, interval: 100 },
    )
    return last
  }

  it('keeps the prompt and the text of a turn that was interrupted', async () => {
    const { agent, home } = stage()
    await using session = await stage().open()
    const slow = `SLOW 50\nSAY: ${words(200, 'shown')}`
    const run = session.prompt(slow)
    let cancelling: Promise<void> | undefined
    const interrupted = await read(run, ({ type }) => {
      if (type === 'text') cancelling ??= run.cancel()
    })
    await cancelling
    expect(interrupted.result.text).toContain('shown0')
    const last = await sayLast(session, 'after the interrupt')
    await expectStory(
      agent,
      home,
      [...interrupted.events, ...last.events],
      [
        `user: ${slow}`,
        `cut: ${interrupted.result.text.trim()}`,
        'user: SAY: after the interrupt',
        'assistant: after the interrupt',
      ],
    )
  })

  it('keeps prompts and text of turns that were refused or rate limited', async () => {
    const { agent, home } = stage()
    await using session = await stage().open({}, () => 'deny')
    const refused = await say(session, 'WRITE: interrupting.txt hello')
    expect([...getEnds(refused.events).values()], JSON.stringify(refused.result)).toEqual(['denied'])
    const limit = 'FAULT: 429\nSAY: not received by interrupting.ts'
    const limiting = read(session.prompt(limit))
    if (keepsRetrying) {
      await vi.waitFor(() => expect(stage().turns(limit).length).toBeGreaterThan(1), { timeout: 60_000 })
      await session.cancel()
    }
    const limited = await limiting
    expect(limited.result.ok).toBe(false)
    const isAnswered = !cannot.includes('forget a failed prompt')
    const last = await sayLast(session, 'after all of it', isAnswered)
    const [afterDenial, afterLimit] = [refused, limited].map(({ result }) => result.text.trim())
    await expectStory(
      agent,
      home,
      [...refused.events, ...limited.events, ...last.events],
      [
        'user: WRITE: interrupting.txt hello',
        'call: denied',
        ...(afterDenial ? [`assistant: ${afterDenial}`] : []),
        `user: ${limit}`,
        ...(!afterLimit || isErrorText(afterLimit) ? [] : [`assistant: ${afterLimit}`]),
        'user: SAY: after all of it',
        ...(isAnswered ? ['assistant: after all of it'] : []),
      ],
    )
  })
}

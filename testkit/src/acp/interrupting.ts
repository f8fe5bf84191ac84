import { fold, textOf } from '@remora/protocol'
import { expect, it, vi } from 'vitest'
import { expectStory, isErrorText, readWritten } from '../story.ts'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { endsOf, read, say, words } from './taken.ts'

/** What the user saw stays, whatever ended the turn. */
export function testInterrupting(
  stage: () => Stage,
  { keepsRetrying = false, cannot = [] }: AcpContractOptions,
) {
  it('keeps prompts and text of turns that were interrupted, refused or rate limited', async () => {
    const { agent, home } = stage()
    await using session = await stage().open({}, () => 'deny')
    const slow = `SLOW 50\nSAY: ${words(200, 'shown')}`
    const run = session.prompt(slow)
    let cancelling: Promise<void> | undefined
    const interrupted = await read(run, ({ type }) => {
      if (type === 'text') cancelling ??= run.cancel()
    })
    await cancelling
    expect(interrupted.result.text).toContain('shown0')

    const refused = await say(session, 'WRITE: interrupting.txt hello')
    expect([...endsOf(refused.events).values()], JSON.stringify(refused.result)).toEqual(['denied'])
    const limit = 'FAULT: 429\nSAY: not received by interrupting.ts'
    const limited = read(session.prompt(limit))
    if (keepsRetrying) {
      await vi.waitFor(() => expect(stage().turns(limit).length).toBeGreaterThan(1), { timeout: 60_000 })
      await session.cancel()
    }
    expect((await limited).result.ok).toBe(cannot.includes('report failures'))
    const last = await say(session, 'SAY: after all of it')
    expect(last.result).toMatchObject({ ok: true, text: 'after all of it' })

    await vi.waitFor(
      async () => {
        const written = fold(await readWritten(agent, home, session.id))
        expect(written.map((message) => textOf(message))).toContain('after all of it')
      },
      { timeout: 60_000, interval: 100 },
    )
    const turns = [interrupted, refused, await limited, last]
    const [cut, afterDenial, afterLimit] = turns.map(({ result }) => result.text.trim())
    await expectStory(
      agent,
      home,
      turns.flatMap(({ events }) => events),
      [
        `user: ${slow}`,
        `cut: ${cut}`,
        'user: WRITE: interrupting.txt hello',
        'call: denied',
        ...(afterDenial === '' ? [] : [`assistant: ${afterDenial}`]),
        `user: ${limit}`,
        ...(!afterLimit || isErrorText(afterLimit) ? [] : [`assistant: ${afterLimit}`]),
        'user: SAY: after all of it',
        'assistant: after all of it',
      ],
    )
  })
}

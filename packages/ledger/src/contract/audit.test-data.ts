import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { answer, ask, target } from './asks.test-data.ts'
import type { Bench } from './engine.test-data.ts'
import { Story, start } from './story.test-data.ts'

export function testAudit(bench: Bench): void {
  it('logs every winning answer with its ask, and no other answer', async () => {
    const ledger = await bench.open(undefined, { now: () => start })
    const shown = { ...ask, body: 'ls -l', tool: 'Bash', input: { command: 'ls -l' } }
    await ledger.asks.open(target, shown)
    await expect(ledger.asks.answer(target, { ...answer, digest: 'other' })).rejects.toMatchObject({
      code: 'conflict',
    })
    const given = { ...answer, person: 'Ann', device: 'phone of Ann' }
    await ledger.asks.answer(target, given)
    await ledger.asks.answer(target, { ...answer, device: 'late' })
    const entries = await ledger.audit.read()
    expect(entries).toEqual([
      {
        number: 1,
        at: start,
        what: 'answer',
        who: 'Ann, phone of Ann',
        ...target,
        detail: { ask: shown, answer: given },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    expect(await ledger.audit.verify()).toEqual({ entries: 1 })
  })

  it('numbers its entries and chains each to the previous one', async () => {
    const ledger = await bench.open()
    const fields = { what: 'paired', who: 'person, desk', detail: { device: 'phone', b: 1, a: [null, 'é'] } }
    const first = await ledger.audit.append(fields)
    const second = await ledger.audit.append(fields)
    const third = await ledger.audit.append({ what: 'revoked', who: 'person', ...target })
    expect([first, second, third].map(({ number }) => number)).toEqual([1, 2, 3])
    expect(new Set([first, second, third].map(({ hash }) => hash)).size).toBe(3)
    expect(await ledger.audit.read()).toEqual([first, second, third])
    expect(first).toMatchObject(fields)
    expect(third).not.toHaveProperty('detail')
    expect(await ledger.audit.read({ after: 1, limit: 1 })).toEqual([second])
    expect(await ledger.audit.read({ session: target })).toEqual([third])
    expect(await ledger.audit.verify()).toEqual({ entries: 3 })
  })

  it('keeps the chain when a session is forgotten, but not the details', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append(story.prompt('Hi'))
    await ledger.asks.open(story.key, { ...ask, title: 'Run xylophone?' })
    await ledger.asks.answer(story.key, answer)
    await ledger.audit.append({ what: 'paired', who: 'person', detail: 'kept' })
    expect(await ledger.forget(story.key)).toBe(true)
    const entries = await ledger.audit.read()
    expect(entries.map(({ what, detail }) => [what, detail])).toEqual([
      ['answer', undefined],
      ['paired', 'kept'],
      ['forgotten', undefined],
    ])
    expect(JSON.stringify(entries)).not.toContain('xylophone')
    expect(await ledger.audit.verify()).toEqual({ entries: 3 })
    // Nothing is left to forget.
    await ledger.forget(story.key)
    expect(await ledger.audit.verify()).toEqual({ entries: 3 })
  })

  it('keeps the details of a pruned session', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append(story.prompt('Hi'))
    await ledger.asks.open(story.key, ask)
    await ledger.asks.answer(story.key, answer)
    await ledger.archive([story.key], 1)
    expect(await ledger.prune({ before: start + 100_000 })).toMatchObject({ sessions: 1 })
    expect(await ledger.audit.read()).toMatchObject([{ detail: { ask, answer } }])
    expect(await ledger.audit.verify()).toEqual({ entries: 1 })
  })

  it('stays one chain with many writers', async () => {
    const place = await bench.engine.place()
    const ledgers = await Promise.all([bench.open(place), bench.open(place), bench.open(place)])
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        ledgers[index % 3]!.audit.append({ what: 'policy', who: `writer ${index % 3}`, detail: index }),
      ),
    )
    const entries = await ledgers[0].audit.read()
    expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    expect(new Set(entries.map(({ detail }) => detail)).size).toBe(60)
    expect(await ledgers[1].audit.verify()).toEqual({ entries: 60 })
  })

  it('notifies of every change by this and other processes, and otherwise not at all', async () => {
    const place = await bench.engine.place()
    const [ledger, other] = [await bench.open(place), await bench.open(place)]
    const stop = new AbortController()
    const writes = [
      () => ledger.asks.open(target, ask),
      () => other.asks.answer(target, answer),
      () => other.append(new Story().prompt('Hi')),
      () => ledger.append([], { marks: { a: 1 } }),
      () => other.append([], { marks: { a: 2 } }),
    ]
    for (const write of writes) {
      const changed = ledger.changed(stop.signal)
      await write()
      await changed
    }
    // Earlier writes may be reported late; after that there must be no notification.
    const quiet = async () => Promise.race([ledger.changed(stop.signal), sleep(300, true)])
    while ((await quiet()) !== true);
    let notified = false
    const changed = ledger.changed(stop.signal).then(() => (notified = true))
    await sleep(50)
    expect(notified).toBe(false)
    stop.abort()
    await changed
    await ledger.changed(stop.signal)
    const waiting = other.changed(new AbortController().signal)
    await other.close()
    await waiting
  })
}

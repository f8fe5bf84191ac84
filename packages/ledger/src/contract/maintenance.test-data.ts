import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { ask, command } from './asks.test-data.ts'
import { Story, everyEvent, start } from './story.test-data.ts'

export function testMaintenance(bench: Bench): void {
  it('forgets a session permanently', async () => {
    const place = await bench.engine.place()
    const ledger = await bench.open(place)
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    const records = [{ events: everyEvent(one) }, ...one.prompt('the wombat')]
    await ledger.append([...records, ...two.prompt('a wombat too')])
    await ledger.indexText()
    await ledger.asks.open(one.key, ask)
    await ledger.commands.submit(command)
    expect(await ledger.forget(one.key)).toBe(true)
    expect(await ledger.forget(one.key)).toBe(false)
    const check = async (): Promise<void> => {
      expect(await ledger.session(one.key)).toBeUndefined()
      expect((await ledger.read()).events).toHaveLength(1)
      expect(await ledger.usage()).toEqual([])
      expect(await ledger.asks.pending()).toEqual([])
      expect(await ledger.commands.list()).toEqual([])
      expect((await ledger.search({ text: 'wombat' })).map(({ session }) => session)).toEqual(['two'])
      expect(await ledger.size()).toMatchObject({ events: 1, sessions: 1 })
    }
    await check()
    expect((await ledger.append(records)).added).toBe(0)
    const other = await bench.open(place)
    expect((await other.append(records)).added).toBe(0)
    await ledger.indexText()
    await check()
    expect(await ledger.forget({ agent: 'claude', session: 'never seen' })).toBe(false)
    expect((await other.append(new Story({ session: 'never seen' }).prompt('x'))).added).toBe(0)
  })

  it('counts its events and sessions', async () => {
    const ledger = await bench.open()
    const empty = await ledger.size()
    expect(empty).toMatchObject({ events: 0, sessions: 0 })
    const story = new Story()
    await ledger.append([...story.prompt('x'.repeat(200_000)), ...story.says('y')])
    const size = await ledger.size()
    expect(size).toMatchObject({ events: 2, sessions: 1 })
    expect(size.bytes - empty.bytes).toBeGreaterThan(200_000)
  })

  it('prunes old archived sessions and frees their space', async () => {
    const ledger = await bench.open()
    const text = 'beaver '.repeat(50_000)
    for (const session of ['old', 'pinned', 'kept', 'young']) {
      const story = new Story({ session })
      const at = session === 'young' ? start + 1000 : start
      const content = [{ type: 'text' as const, text: text + session }]
      await ledger.append(story.record({ type: 'message', entity: 'p', role: 'user', content, at }))
      if (session !== 'kept') await ledger.archive([story.key], 1)
    }
    await ledger.annotate({ agent: 'claude', session: 'pinned' }, { pinned: true })
    await ledger.indexText()
    const before = await ledger.size()
    const plan = await ledger.prune({ before: start + 1, dryRun: true })
    expect(plan).toMatchObject({ sessions: 1, events: 1 })
    expect(plan.bytes).toBeGreaterThan(300_000)
    expect(await ledger.sessions()).toHaveLength(4)
    const pruned = await ledger.prune({ before: start + 1 })
    expect(pruned).toMatchObject({ sessions: 1, events: 1 })
    expect(pruned.bytes).toBeGreaterThan(300_000)
    expect((await ledger.size()).bytes).toBeLessThan(before.bytes - 300_000)
    expect((await ledger.sessions()).map(({ session }) => session).sort()).toEqual([
      'kept',
      'pinned',
      'young',
    ])
    expect(await ledger.search({ text: 'old' })).toEqual([])
    expect(await ledger.search({ text: 'beaver' })).toHaveLength(3)
    expect(await ledger.prune({ before: start + 1 })).toEqual({ sessions: 0, events: 0, bytes: 0 })
    // A pruned session is not forgotten: its agent may report it again.
    expect((await ledger.append(new Story({ session: 'old' }).prompt('again'))).added).toBe(1)
  })

  it('makes a complete copy that is another ledger', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const events = everyEvent(story)
    await ledger.append([{ events }], { marks: { a: 1 } })
    await ledger.indexText()
    const target = await bench.engine.place()
    await ledger.backup(target)
    const copy = await bench.open(target)
    expect((await copy.read()).events.map(({ event }) => event)).toEqual(events)
    expect(await copy.marks('')).toEqual(new Map([['a', 1]]))
    expect(await copy.search({ text: 'hello' })).toHaveLength(1)
    expect((await copy.read({ after: await ledger.head() })).gap).toBe(true)
    await expect(ledger.backup(target)).rejects.toMatchObject({ code: 'conflict' })
    expect((await copy.read()).events).toHaveLength(events.length)
  })
}

import { expect, it } from 'vitest'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import type { Lease } from '@remora/ledger'
import { type PostgresEngine, open } from './engine.test-data.ts'

export function testConcurrentAppends(engine: () => PostgresEngine): void {
  it('stores them in few transactions, and returns each its own numbers', async () => {
    const place = await engine().place()
    const ledger = await open(place)
    const stories = Array.from({ length: 30 }, (_, index) => new Story({ session: `s${index}` }))
    await ledger.append(stories.flatMap((story) => story.prompt('first')))
    const results = await Promise.all(
      stories.map((story) => ledger.append([...story.says('a', 'm'), ...story.says('b', 'm')])),
    )
    expect(results.map(({ added }) => added)).toEqual(stories.map(() => 2))
    expect(results.map(({ cursor }) => cursor.seq)).toEqual(stories.map((_, index) => 32 + index * 2))
    const { events } = await ledger.read({ after: { epoch: ledger.epoch, seq: 30 }, limit: 1000 })
    expect(events.map(({ event }) => event.session)).toEqual(
      stories.flatMap(({ session }) => [session, session]),
    )
    const transactions = await query(place, 'SELECT count(DISTINCT xmin::text) FROM events WHERE seq > 30')
    expect(Number(transactions)).toBeLessThan(10)
    for (const story of stories) expect(await ledger.session(story.key)).toMatchObject({ messages: 2 })
    await ledger.close()
  })

  it('stores the others if one of them is rejected', async () => {
    const ledger = await open(await engine().place())
    const stories = ['a', 'b', 'c', 'd'].map((session) => new Story({ session }))
    const [a, b, c, d] = stories as [Story, Story, Story, Story]
    await ledger.append(stories.flatMap((story) => story.prompt('first')))
    const lease = (await ledger.leases.take('follow', { what: 'remora follow', pid: 1 }, 10_000)) as Lease
    const again = d.prompt('again')
    await ledger.append(again)
    const results = await Promise.allSettled([
      ledger.append(a.says('yes'), { lease, marks: { a: 1 } }),
      ledger.append(b.says('no'), { lease: { ...lease, term: 7 }, marks: { b: 1 } }),
      ledger.append(c.says('yes'), { marks: { c: { deep: 'a\u0000b\ud800' } } }),
      ledger.append([...again, ...d.says('yes')]),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: { code: 'conflict' } })
    expect(results[3]).toMatchObject({ value: { added: 1 } })
    expect(await ledger.marks('')).toEqual(
      new Map<string, unknown>([
        ['a', 1],
        ['c', { deep: 'a\u0000b\ud800' }],
      ]),
    )
    expect((await ledger.head()).seq).toBe(8)
    await ledger.append(a.says('more'), { marks: { a: undefined, c: 2 } })
    expect(await ledger.marks('')).toEqual(new Map([['c', 2]]))
    await ledger.close()
  })

  it('stores concurrent duplicates once', async () => {
    const ledger = await open(await engine().place())
    const story = new Story()
    await ledger.append(story.prompt('first'))
    const records = story.says('a')
    const results = await Promise.all([
      ledger.append(records),
      ledger.append(records),
      ledger.append(records),
    ])
    expect(results.map(({ added }) => added)).toEqual([1, 0, 0])
    expect((await ledger.append(records)).added).toBe(0)
    expect((await ledger.read()).events).toHaveLength(2)
    await ledger.close()
  })

  it('keeps the summary of a session that two processes write in turn', async () => {
    const place = await engine().place()
    const [one, two] = [await open(place), await open(place)]
    const [left, right] = [new Story({ source: 'left' }), new Story({ source: 'right', channel: 'acp' })]
    for (let round = 0; round < 6; round++) {
      expect((await one.append(left.says('a', `m${round}`))).added).toBe(1)
      // Including messages that the other process has reported.
      expect((await two.append([...right.says('a', 'same'), ...right.prompt('b', `p${round}`)])).added).toBe(
        2,
      )
      if (round % 2 === 0) await one.append(left.record({ type: 'session', entity: 's', title: `${round}` }))
    }
    expect(await two.session(left.key)).toMatchObject({ title: '4', messages: 6, firstPrompt: 'b' })
    const counts = await query(place, 'SELECT message_counts FROM sessions')
    expect(JSON.parse(counts)).toEqual([6, 7, 0, 0, 0])
    await Promise.all([one.close(), two.close()])
  })

  it('stores nothing of a session that another process has forgotten', async () => {
    const place = await engine().place()
    const [one, two] = [await open(place), await open(place)]
    const [gone, kept] = [new Story({ session: 'gone' }), new Story({ session: 'kept' })]
    await one.append([...gone.prompt('a'), ...kept.prompt('a')])
    await one.append([...gone.says('b'), ...kept.says('b')])
    await two.forget(gone.key)
    const results = await Promise.all([one.append(gone.says('c')), one.append(kept.says('c'))])
    expect(results.map(({ added }) => added)).toEqual([0, 1])
    expect(await two.session(gone.key)).toBeUndefined()
    await Promise.all([one.close(), two.close()])
  })

  it('stores pending appends before the ledger is closed', async () => {
    const place = await engine().place()
    const ledger = await open(place)
    const appended = ledger.append(new Story().prompt('a'))
    await ledger.close()
    expect((await appended).added).toBe(1)
  })

  async function query(place: string, sql: string): Promise<string> {
    const schema = decodeURIComponent(place).split('search_path=')[1]!
    return (await engine().server.query(`SET search_path = ${schema}; ${sql}`, 'contract')).trim()
  }
}

import { expect, it } from 'vitest'
import type { Ledger, Page, ReadQuery } from '../model/ledger.ts'
import type { Bench } from './engine.test-data.ts'
import { Story } from './story.test-data.ts'

export function testCursors(bench: Bench): void {
  it('starts empty', async () => {
    const ledger = await bench.open()
    const head = { epoch: ledger.epoch, seq: 0 }
    expect(await ledger.head()).toEqual(head)
    expect(await ledger.read()).toEqual({ events: [], cursor: head })
    expect(await ledger.append([])).toEqual({ added: 0, cursor: head })
  })

  it('continues from any cursor, also after a restart', async () => {
    const place = await bench.engine.place()
    const ledger = await bench.open(place)
    await ledger.append(
      Array.from({ length: 10 }, () => new Story()).flatMap((story, index) =>
        story.prompt('x', `${index}`).map(({ events }) => ({
          events: events.map((event) => ({ ...event, origin: { ...event.origin, key: `${index}` } })),
        })),
      ),
    )
    const first = await ledger.read({ limit: 4 })
    expect(entities(first)).toEqual(['0', '1', '2', '3'])
    await ledger.close()
    const again = await bench.open(place)
    expect(again.epoch).toBe(ledger.epoch)
    expect(await again.head()).toEqual({ epoch: ledger.epoch, seq: 10 })
    const second = await again.read({ after: first.cursor, limit: 100 })
    expect(entities(second)).toEqual(['4', '5', '6', '7', '8', '9'])
    expect(await again.read({ after: second.cursor })).toEqual({ events: [], cursor: second.cursor })
  })

  it('reads the events of one type, of one session or of all', async () => {
    const ledger = await bench.open()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    for (const story of [one, two])
      await ledger.append([
        ...story.prompt('x', `${story.session} prompt`),
        ...story.record({ type: 'status', entity: story.session, status: 'mode', value: 'plan' }),
        ...story.says('y'),
        ...story.record({ type: 'status', entity: story.session, status: 'idle' }),
      ])
    expect(entities(await ledger.read({ type: 'status' }))).toEqual(['one', 'one', 'two', 'two'])
    const page = await ledger.read({ session: two.key, type: 'status', limit: 1 })
    expect(page.events.map(({ event }) => event)).toMatchObject([{ status: 'mode', value: 'plan' }])
    const rest = await ledger.read({ session: two.key, type: 'status', after: page.cursor })
    expect(rest.events.map(({ event }) => event)).toMatchObject([{ status: 'idle' }])
    expect(rest.cursor).toEqual(await ledger.head())
    expect((await ledger.read({ session: two.key, type: 'ask' })).events).toEqual([])
  })

  it('reads one session and skips the others', async () => {
    const ledger = await bench.open()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    for (let round = 0; round < 3; round++)
      await ledger.append([
        ...one.prompt(`${round}`, `one ${round}`),
        ...two.prompt(`${round}`, `two ${round}`),
      ])
    const page = await ledger.read({ session: one.key, limit: 2 })
    expect(entities(page)).toEqual(['one 0', 'one 1'])
    const rest = await ledger.read({ session: one.key, limit: 2, after: page.cursor })
    expect(entities(rest)).toEqual(['one 2'])
    expect(rest.cursor).toEqual(await ledger.head())
    expect((await ledger.read({ session: { agent: 'claude', session: 'none' } })).events).toEqual([])
  })

  it('answers an invalid cursor with a gap, from the beginning', async () => {
    const [ledger, other] = [await bench.open(), await bench.open()]
    const story = new Story()
    await ledger.append([...story.prompt('a', 'a'), ...story.prompt('b', 'b')])
    for (const after of [
      { epoch: other.epoch, seq: 1 },
      { epoch: ledger.epoch, seq: 3 },
    ]) {
      const page = await ledger.read({ after, limit: 1 })
      expect(page.gap).toBe(true)
      expect(entities(page)).toEqual(['a'])
      expect(await ledger.read({ after: page.cursor })).not.toHaveProperty('gap')
    }
    const empty = await other.read({ after: { epoch: ledger.epoch, seq: 0 } })
    expect(empty).toEqual({ events: [], cursor: { epoch: other.epoch, seq: 0 }, gap: true })
  })

  it('never reuses a number, so a cursor at the end stays valid when the end is forgotten', async () => {
    const ledger = await bench.open()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    await ledger.append([...one.prompt('a', 'a'), ...two.prompt('b', 'b')])
    const head = await ledger.head()
    await ledger.forget(two.key)
    expect(await ledger.head()).toEqual(head)
    await ledger.append(one.prompt('c', 'c'))
    const page = await ledger.read({ after: head })
    expect(page.events.map(({ seq }) => seq)).toEqual([3])
    expect(page).not.toHaveProperty('gap')
  })

  it('tails what this and other processes append', async () => {
    const place = await bench.engine.place()
    const [ledger, other] = [await bench.open(place), await bench.open(place)]
    const story = new Story()
    await ledger.append(story.prompt('a', 'a'))
    const tail = follow(ledger, {})
    expect(await tail.next()).toEqual(['a'])
    const waiting = tail.next()
    await ledger.append(story.prompt('b', 'b'))
    expect(await waiting).toEqual(['b'])
    const later = tail.next()
    await other.append(story.prompt('c', 'c'))
    expect(await later).toEqual(['c'])
    const end = tail.next()
    tail.abort()
    expect(await end).toBeUndefined()
  })

  it('tails one session from a cursor and reports a gap once', async () => {
    const ledger = await bench.open()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    await ledger.append([...one.prompt('a', 'a'), ...two.prompt('b', 'b')])
    const after = await ledger.head()
    const tail = follow(ledger, { after, session: two.key })
    const next = tail.next()
    await ledger.append(one.prompt('c', 'c'))
    await ledger.append(two.prompt('d', 'd'))
    expect(await next).toEqual(['d'])
    tail.abort()
    const gaps: unknown[] = []
    const abort = new AbortController()
    for await (const page of ledger.tail({
      after: { epoch: 'other', seq: 1 },
      limit: 1,
      signal: abort.signal,
    })) {
      gaps.push(page.gap, ...entities(page))
      if (gaps.length === 8) abort.abort()
    }
    expect(gaps).toEqual([true, 'a', undefined, 'b', undefined, 'c', undefined, 'd'])
  })

  it('ends a tail when the signal aborts and when the ledger is closed', async () => {
    const ledger = await bench.open()
    const aborted = follow(ledger, {})
    aborted.abort()
    expect(await aborted.next()).toBeUndefined()
    const open = follow(ledger, {})
    const end = open.next()
    await ledger.close()
    expect(await end).toBeUndefined()
  })

  it('reports that it is closed', async () => {
    const ledger = await bench.open()
    await ledger.close()
    await ledger.close()
    await expect(ledger.read()).rejects.toMatchObject({ code: 'usage' })
    await expect(ledger.append([])).rejects.toThrow(/closed/)
  })
}

function entities(page: Page): string[] {
  return page.events.map(({ event }) => event.entity)
}

function follow(ledger: Ledger, query: ReadQuery) {
  const abort = new AbortController()
  const pages = ledger.tail({ ...query, signal: abort.signal })[Symbol.asyncIterator]()
  return {
    async next(): Promise<string[] | undefined> {
      const { done, value } = await pages.next()
      return done === true ? undefined : entities(value)
    },
    abort: () => abort.abort(),
  }
}

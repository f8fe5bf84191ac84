import { type EventRecord, originId } from '@remora/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { Story, everyEvent } from './story.test-data.ts'

export function testAppend(bench: Bench): void {
  it('returns every type of event unchanged', async () => {
    const ledger = await bench.open()
    const events = everyEvent(new Story())
    const { added, cursor } = await ledger.append([{ events }])
    expect(added).toBe(events.length)
    expect(cursor).toEqual({ epoch: ledger.epoch, seq: events.length })
    const page = await ledger.read()
    expect(page.events.map(({ event }) => event)).toEqual(events)
    expect(page.events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  it('stores values of any depth and returns what JSON can express', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const nested = (levels: number) => `${'['.repeat(levels)}"end"${']'.repeat(levels)}`
    const deep = JSON.parse(nested(20_000)) as unknown
    const shallow = JSON.parse(nested(400)) as unknown
    const long = 'x'.repeat(300)
    const events = [
      story.event({ type: 'tool_use', entity: 'a', name: 'X', input: deep, raw: deep }),
      story.event({ type: 'tool_use', entity: 'b', name: 'X', input: { long, deep }, raw: { long } }),
      story.event({ type: 'tool_use', entity: 'c', name: 'X', input: shallow, raw: shallow }),
      story.event({ type: 'unknown', entity: 'd', what: 'too deep', raw: nested(20_000) }),
    ]
    await ledger.append(events.map((event) => ({ events: [event] })))
    await ledger.append([
      { events: [story.event({ type: 'unknown', entity: 'e', what: 'x', raw: deep })], raw: nested(20_000) },
    ])
    const stored = (await ledger.read()).events.map(({ event }) => event)
    expect(stored.map(({ entity }) => entity)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(JSON.stringify(stored.slice(0, 2))).not.toContain('end')
    expect(stored[2]).toMatchObject({ input: shallow, raw: shallow })
    expect(stored.slice(3).map(({ raw }) => raw)).toEqual([nested(20_000), nested(20_000)])
    await ledger.indexText()
    expect((await ledger.calls()).map(({ entity }) => entity).toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('keeps the exact text of a record and the long strings that its events share with it', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const long = 'A "quoted"\n\tline with \\ and \u00e9\u4f60\ud83d\ude00, '.repeat(40)
    const other = long.replace('exact', 'other').replace(/.$/, '!')
    const record = { b: 1, text: long, twice: other, nested: [{ text: long }], short: 'x' }
    // Spaces and escapes that JSON.stringify would not write.
    const raw = `  ${JSON.stringify(record, null, 1).replaceAll('\u00e9', String.raw`\u00e9`)} `
    const events = [
      story.event({
        type: 'message',
        entity: 'p',
        role: 'user',
        content: [{ type: 'text', text: long }],
        raw: record,
      }),
      story.event({ type: 'text', entity: 't', offset: 0, text: other, final: true }),
      story.event({
        type: 'tool_use',
        entity: 'u',
        name: 'X',
        input: { list: [long, other, `${long}?`], n: 1 },
      }),
      story.event({ type: 'unknown', entity: 'u', what: 'part', raw: { text: other } }),
    ]
    await ledger.append([{ events, raw }])
    const page = await ledger.read({ records: true })
    expect(page.events.map(({ event }) => event)).toEqual(events)
    expect(page.events.map((each) => each.record)).toEqual([
      raw,
      undefined,
      undefined,
      JSON.stringify({ text: other }),
    ])
    expect((await ledger.read()).events[0]).not.toHaveProperty('record')
    // A page may start in the middle of a record.
    for (const [seq, event] of events.entries())
      expect((await ledger.read({ after: { epoch: ledger.epoch, seq }, limit: 1 })).events[0]?.event).toEqual(
        event,
      )
  })

  it('keeps a record that is not JSON, and a record of two sessions', async () => {
    const ledger = await bench.open()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    const text = 'long enough to be stored by its place: '.repeat(10)
    const torn = one.event({ type: 'unknown', entity: 'x', what: 'text', raw: '{"torn": ' })
    const first = one.event({ type: 'text', entity: 't', offset: 0, text, raw: { text } })
    const second = two.event({ type: 'text', entity: 't', offset: 0, text })
    const records = [{ events: [torn], raw: '{"torn": ' }, { events: [first, second] }]
    await ledger.append(records)
    expect((await ledger.read()).events.map(({ event }) => event)).toEqual([torn, first, second])
    await ledger.forget(one.key)
    expect((await ledger.read()).events.map(({ event }) => event)).toEqual([second])
  })

  it('stores an origin once, and a changed record again', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const [record] = story.prompt('Hi')
    const event = record!.events[0]!
    const changed = { ...event, origin: { ...event.origin, digest: 'other' } }
    const bare = { ...event, origin: { channel: event.origin.channel, source: 'other', key: '1' } }
    const added = []
    for (const each of [event, event, changed, changed, bare, bare, event])
      added.push((await ledger.append([{ events: [each] }])).added)
    expect(added).toEqual([1, 0, 1, 0, 1, 0, 0])
    expect((await ledger.read()).events.map(({ event }) => event)).toEqual([event, changed, bare])
  })

  it('stores everything once and in order, however it is repeated or split', async () => {
    const stories = [
      new Story(),
      new Story({ channel: 'headless', source: 'run' }),
      new Story({ session: 'two' }),
      new Story({ agent: 'gemini' }),
    ]
    const all = stories.flatMap((story) => everyEvent(story))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(all.length - 1), { maxLength: 12 }), { maxLength: 12 }),
        async (appends) => {
          const ledger = await bench.open()
          let added = 0
          for (const indexes of appends)
            added += (await ledger.append(indexes.map((index): EventRecord => ({ events: [all[index]!] }))))
              .added
          const expected = new Map(
            appends
              .flat()
              .map((index) => [
                `${all[index]!.agent} ${all[index]!.session} ${originId(all[index]!.origin)}`,
                all[index]!,
              ]),
          )
          const { events } = await ledger.read({ limit: 1000 })
          expect(events.map(({ event }) => event)).toEqual([...expected.values()])
          expect(added).toBe(expected.size)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('stores an append and its marks completely or not at all', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append(story.prompt('First'), { marks: { a: 1 } })
    const bad = story.record({ type: 'unknown', entity: 'x', what: 'x', raw: { number: 1n } })
    const records = [...new Story({ session: 'two' }).prompt('Second'), ...bad]
    await expect(ledger.append(records, { marks: { a: 2 } })).rejects.toThrow(/BigInt/)
    expect((await ledger.read()).events).toHaveLength(1)
    expect(await ledger.session({ agent: 'claude', session: 'two' })).toBeUndefined()
    expect(await ledger.marks('')).toEqual(new Map([['a', 1]]))
    await ledger.append(records.slice(0, 1))
    expect((await ledger.read()).cursor.seq).toBe(2)
  })

  it('continues after another process has written to the same ledger', async () => {
    const place = await bench.engine.place()
    const [one, two] = [await bench.open(place), await bench.open(place)]
    const story = new Story()
    for (let round = 0; round < 5; round++) {
      await one.append([...story.prompt(`one ${round}`), ...story.says('yes')])
      await two.append([...story.prompt(`two ${round}`), ...story.says('no')])
    }
    expect((await one.read()).events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
    expect((await two.session(story.key))?.messages).toBe(20)
  })
}

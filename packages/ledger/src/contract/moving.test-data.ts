import type { Command } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { Ledger, MovePart, MoveRows } from '../model/ledger.ts'
import { readPages } from '../move.ts'
import { answer, ask, command, target } from './asks.test-data.ts'
import type { Bench } from './engine.test-data.ts'
import { Story, everyEvent } from './story.test-data.ts'

const parts = ['sessions', 'forgotten', 'asks', 'commands', 'audit', 'marks'] as const

export function testMoving(bench: Bench): void {
  it('reads all rows unchanged and writes them repeatedly', async () => {
    const [from, to] = [await bench.open(), await bench.open()]
    await fill(from)
    const given = await everything(from)
    expect(given.commands.map(({ state }) => state)).toEqual([
      'queued',
      'sent',
      'done',
      'refused',
      'withdrawn',
    ])
    expect(given.asks.map((each) => each.answer?.option)).toEqual(['yes', undefined])
    expect(given.forgotten.map(({ session }) => session)).toEqual(['gone'])
    expect(given.audit.map(({ what, detail }) => [what, detail === null])).toEqual([
      ['answer', false],
      ['policy', true],
      ['answer', true],
      ['forgotten', true],
    ])
    // Notes are written only for sessions that exist.
    await to.append([...new Story().prompt('Hi'), ...new Story({ session: 'gone' }).prompt('Hi')])
    for (let turn = 0; turn < 2; turn++) {
      for (const part of parts) await to.moving.write(part, given[part])
      const taken = await everything(to)
      expect(taken).toEqual(given)
    }
    expect(await to.audit.verify()).toEqual({ entries: 4 })
    expect(await to.audit.read()).toEqual(await from.audit.read())
    expect(await to.marks('')).toEqual(new Map([['a', { b: 1 }]]))
    expect(await to.asks.pending()).toEqual(await from.asks.pending())
    expect(await to.session(target)).toMatchObject({ name: 'Mine', pinned: true, archivedAt: 7 })
    expect(await to.session({ ...target, session: 'gone' })).toBeUndefined()
    expect((await to.append(new Story({ session: 'gone' }).prompt('Hi'))).added).toBe(0)
    // The chain continues from there.
    const next = { what: 'policy', who: 'person' }
    expect(await to.audit.append(next)).toMatchObject({ number: 5 })
    expect(await to.audit.verify()).toEqual({ entries: 5 })
  })

  it('forgets in the copy what the source forgot after the copy', async () => {
    const [from, to] = [await bench.open(), await bench.open()]
    await fill(from)
    for (const part of parts) await to.moving.write(part, await all(from, part))
    await from.forget(target)
    for (const part of parts) await to.moving.write(part, await all(from, part))
    expect(await everything(to)).toEqual(await everything(from))
    expect(JSON.stringify(await to.audit.read())).not.toContain('Run ls?')
    expect(await to.audit.verify()).toEqual({ entries: 5 })
  })

  it('keeps answers and command states of the copy', async () => {
    const [from, to] = [await bench.open(), await bench.open()]
    for (const ledger of [from, to]) {
      await ledger.asks.open(target, ask)
      await ledger.commands.submit(command)
    }
    await to.asks.answer(target, answer)
    await to.commands.move(command, 'queued', 'sent')
    await to.commands.move(command, 'sent', 'done')
    for (const part of ['asks', 'commands'] as const) await to.moving.write(part, await all(from, part))
    expect(await to.asks.find(target, ask.id)).toEqual({ ask, answer })
    expect(await to.commands.list()).toEqual([{ ...command, state: 'done' }])
    // The same id with another digest is a new ask.
    await from.asks.open(target, { ...ask, digest: 'changed' })
    await to.moving.write('asks', await all(from, 'asks'))
    expect(await to.asks.find(target, ask.id)).toEqual({ ask: { ...ask, digest: 'changed' } })
  })

  it('accepts only an audit log that continues its own', async () => {
    const [from, to] = [await bench.open(), await bench.open()]
    for (const who of ['one', 'two', 'three']) await from.audit.append({ what: 'policy', who, detail: who })
    const entries = await all(from, 'audit')
    const changed = entries.map((entry, index) => (index === 1 ? { ...entry, who: 'unknown' } : entry))
    for (const wrong of [entries.slice(1), changed, entries.toReversed()])
      await expect(to.moving.write('audit', wrong)).rejects.toMatchObject({ code: 'conflict' })
    expect(await to.audit.read()).toEqual([])
    await to.moving.write('audit', entries.slice(0, 2))
    await to.moving.write('audit', entries)
    expect(await to.audit.read()).toEqual(await from.audit.read())
    const other = await bench.open()
    await other.audit.append({ what: 'policy', who: 'other' })
    await expect(other.moving.write('audit', entries)).rejects.toMatchObject({ code: 'conflict' })
    expect(await other.audit.verify()).toEqual({ entries: 1 })
  })

  it('returns many rows in pages', async () => {
    const ledger = await bench.open()
    const names = Array.from({ length: 1200 }, (_, index) => `mark ${String(index).padStart(4, '0')}`)
    await ledger.append([], { marks: Object.fromEntries(names.map((name) => [name, name])) })
    const first = await ledger.moving.read('marks')
    expect(first.rows.length).toBeLessThan(1200)
    expect((await all(ledger, 'marks')).map(({ name }) => name)).toEqual(names)
    expect(await ledger.moving.read('commands')).toEqual({ rows: [], after: undefined })
  })

  it('returns the rows that exist at the start, whatever is written meanwhile', async () => {
    const ledger = await bench.open()
    const write = (prefix: string) =>
      ledger.append([], {
        marks: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${prefix}${index}`, 1])),
      })
    await write('a')
    const pages: number[] = []
    for await (const rows of readPages(ledger, 'marks')) {
      pages.push(rows.length)
      await write(`z${pages.length} `)
    }
    expect(pages).toEqual([500, 100])
    expect(await all(ledger, 'forgotten')).toEqual([])
  })
}

/** Rows of every part. */
async function fill(ledger: Ledger): Promise<void> {
  const gone = new Story({ session: 'gone' })
  await ledger.append([{ events: everyEvent(new Story()) }, ...gone.prompt('Hi')], { marks: { a: { b: 1 } } })
  await ledger.annotate(target, { name: 'Mine', pinned: true })
  await ledger.archive([target], 7)
  for (const session of ['one', 'gone']) await ledger.asks.open({ ...target, session }, ask)
  await ledger.asks.open(target, { ...ask, id: 'open' })
  await ledger.asks.answer(target, answer)
  await ledger.audit.append({ what: 'policy', who: 'person' })
  await ledger.asks.answer(gone.key, answer)
  const ways: readonly Command['state'][][] = [
    [],
    ['sent'],
    ['sent', 'done'],
    ['sent', 'refused'],
    ['withdrawn'],
  ]
  for (const [index, way] of ways.entries()) {
    const wish = { ...command, id: `c${index}` }
    await ledger.commands.submit(wish)
    for (const [step, state] of way.entries())
      await ledger.commands.move(wish, way[step - 1] ?? 'queued', state, 'as reported')
  }
  await ledger.forget(gone.key)
}

async function all<P extends MovePart>(ledger: Ledger, part: P): Promise<MoveRows[P][]> {
  const rows: MoveRows[P][] = []
  for await (const page of readPages(ledger, part)) rows.push(...page)
  return rows
}

async function everything(ledger: Ledger) {
  return {
    sessions: await all(ledger, 'sessions'),
    forgotten: await all(ledger, 'forgotten'),
    asks: await all(ledger, 'asks'),
    commands: await all(ledger, 'commands'),
    audit: await all(ledger, 'audit'),
    marks: await all(ledger, 'marks'),
  }
}

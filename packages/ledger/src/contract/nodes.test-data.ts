import type { LiveInfo } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { Story } from './story.test-data.ts'

const live: LiveInfo = {
  id: 'l-abc',
  agent: 'gemini',
  session: 'one',
  channel: 'terminal',
  state: 'idle',
  cwd: '/home/me/work',
  startedAt: 1,
  since: 2,
  adopted: false,
  asks: 0,
  queued: 0,
}

export function testNodes(bench: Bench): void {
  it('lists the machines that write into it and the time since each heartbeat', async () => {
    let now = 1000
    const ledger = await bench.open(undefined, { now: () => now, node: 'n1' })
    expect(ledger.node).toBe('n1')
    expect(await ledger.nodes.list()).toEqual([])
    await ledger.nodes.heartbeat({ id: 'n1', name: 'laptop', version: '1.0.0', live: [] })
    await ledger.nodes.heartbeat({ id: 'n2', name: 'desktop', version: '1.0.0', live: [live] })
    now = 4000
    await ledger.nodes.heartbeat({ id: 'n1', name: 'the laptop', version: '1.0.1', live: [] })
    now = 4500
    expect(await ledger.nodes.list()).toEqual([
      { id: 'n2', name: 'desktop', version: '1.0.0', live: [live], silentMs: 3500 },
      { id: 'n1', name: 'the laptop', version: '1.0.1', live: [], silentMs: 500 },
    ])
    expect(await ledger.nodes.remove('n2')).toBe(true)
    expect(await ledger.nodes.remove('n2')).toBe(false)
    expect((await ledger.nodes.list()).map(({ id }) => id)).toEqual(['n1'])
  })

  it('notifies when the live sessions of another machine change', async () => {
    const place = await bench.engine.place()
    const [one, two] = [await bench.open(place, { node: 'n1' }), await bench.open(place, { node: 'n2' })]
    const notified = one.changed(AbortSignal.timeout(10_000))
    await two.nodes.heartbeat({ id: 'n2', name: 'desktop', version: '1.0.0', live: [live] })
    await notified
    expect(await one.nodes.list()).toHaveLength(1)
  })

  it('separates the sessions and marks of machines, and lists the sessions of all', async () => {
    const place = await bench.engine.place()
    const [one, two] = [await bench.open(place, { node: 'n1' }), await bench.open(place, { node: 'n2' })]
    const [first, second] = [new Story(), new Story({ session: 'two' })]
    await one.append(first.prompt('a'), { marks: { 'file/a': 1 } })
    await two.append(second.prompt('b'), { marks: { 'file/a': 2, 'file/b': 3 } })
    // A session belongs to the machine that reported it first.
    await two.append(first.prompt('c'))
    expect(await one.marks('file/')).toEqual(new Map([['file/a', 1]]))
    expect(await two.marks('file/b')).toEqual(new Map([['file/b', 3]]))
    await two.append([], { marks: { 'file/a': undefined } })
    expect(await one.marks('')).toEqual(new Map([['file/a', 1]]))
    const nodes = Object.fromEntries((await two.sessions()).map(({ session, node }) => [session, node]))
    expect(nodes).toEqual({ one: 'n1', two: 'n2' })
    expect((await one.sessions({ node: 'n2' })).map(({ session }) => session)).toEqual(['two'])
    expect((await one.session(first.key))?.messages).toBe(2)
  })

  it('belongs to one machine if none is named', async () => {
    const ledger = await bench.open()
    expect(ledger.node).toBeUndefined()
    await ledger.append(new Story().prompt('a'), { marks: { a: 1 } })
    expect((await ledger.sessions())[0]).not.toHaveProperty('node')
    expect(await ledger.marks('')).toEqual(new Map([['a', 1]]))
  })
}

import { type EventRecord, type Message, fold } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { Ledger } from '../model/ledger.ts'
import { OpenSession } from '../open-session.ts'
import type { Bench } from './engine.test-data.ts'
import { type Fields, Story, start } from './story.test-data.ts'

/** The sources of one session, with turns two minutes apart. */
export function createLongSession() {
  const transcript = new Story({ source: 'transcript' })
  const hooks = new Story({ channel: 'hooks', source: 'hooks' })
  const at = (turn: number, step: number) => start + turn * 120_000 + step * 1000
  const prompt = (story: Story, turn: number, step: number): Fields => ({
    type: 'message',
    entity: `${story.channel}-${turn}`,
    role: 'user',
    content: [{ type: 'text', text: `Do step ${turn % 5}` }],
    at: at(turn, step),
  })
  const call = (turn: number, step: number): Fields => ({
    type: 'tool_use',
    entity: `call-${turn}`,
    name: 'Bash',
    input: { command: 'npm test' },
    at: at(turn, step),
  })
  const end = (turn: number, step: number, status: 'success' | 'error' = 'success'): Fields => ({
    type: 'tool_result',
    entity: `call-${turn}`,
    status,
    content: 'ok',
    at: at(turn, step),
  })
  return {
    key: transcript.key,
    end: (turn: number) => hooks.record(end(turn, 1000, 'error')),
    rewind: () =>
      transcript.record({
        type: 'status',
        entity: 'status',
        status: 'rewound',
        value: { to: 'transcripts-1' },
      }),
    hooks: (turn: number) => hooks.record(prompt(hooks, turn, 0), call(turn, 2), end(turn, 3)),
    transcript: (turn: number) =>
      transcript.record(
        prompt(transcript, turn, 1),
        { ...call(turn, 4), message: `m-${turn}` } as Fields,
        end(turn, 5),
        {
          type: 'text',
          entity: `text-${turn}`,
          message: `n-${turn}`,
          offset: 0,
          text: `Done ${turn}`,
          at: at(turn, 6),
        },
      ),
  }
}

async function readWhole(ledger: Ledger, key: { agent: string; session: string }): Promise<Message[]> {
  return fold((await ledger.read({ session: key, limit: 100_000 })).events.map(({ event }) => event))
}

/** Stores a session, opens it as a reader that needs all of it, and stores a checkpoint. */
async function storeCheckpoint(
  ledger: Ledger,
  records: readonly EventRecord[],
  key: { agent: string; session: string },
) {
  await ledger.append(records)
  const whole = await OpenSession.atEnd({ ledger, key })
  expect(await whole.readAll()).toBe(true)
  expect(whole.offset).toBe(0)
  expect(whole.isLong).toBe(true)
  expect(await whole.save(ledger)).toBe(true)
  expect(whole.isLong).toBe(false)
  return whole
}

export function testOpening(bench: Bench): void {
  const turns = Array.from({ length: 300 }, (_, turn) => turn)
  const orders = {
    'turn by turn': (session: ReturnType<typeof createLongSession>) =>
      turns.flatMap((turn) => [...session.hooks(turn), ...session.transcript(turn)]),
    'one source after the other': (session: ReturnType<typeof createLongSession>) => [
      ...turns.flatMap((turn) => session.hooks(turn)),
      ...turns.flatMap((turn) => session.transcript(turn)),
    ],
  }

  it.each(Object.keys(orders) as (keyof typeof orders)[])(
    'opens a session at its end without reading it whole, stored %s',
    async (order) => {
      const ledger = await bench.open()
      const story = createLongSession()
      const { key } = story
      const whole = await storeCheckpoint(ledger, orders[order](story), key)
      const opened = await OpenSession.atEnd({ ledger, key })
      expect(await opened.readAll()).toBe(true)
      expect(opened.offset).toBeGreaterThan(600)
      expect(opened.events).toBeLessThan(600)
      const expected = await readWhole(ledger, key)
      expect(opened.messages).toEqual(expected.slice(opened.offset))
      expect(opened.last).toBe(whole.last)

      for (let turn = 300; turn < 600; turn++) {
        const { cursor } = await ledger.append([...story.hooks(turn), ...story.transcript(turn)])
        const page = await ledger.read({ session: key, after: opened.cursor })
        expect(opened.add(page)).toBeDefined()
        expect(opened.cursor).toEqual(cursor)
        if (opened.isLong) expect(await opened.save(ledger)).toBe(true)
      }
      const again = await OpenSession.atEnd({ ledger, key })
      expect(again.offset).toBeGreaterThan(1200)
      expect(await again.readAll()).toBe(true)
      expect(again.events).toBeLessThan(1500)
      const all = await readWhole(ledger, key)
      expect(opened.messages).toEqual(all.slice(opened.offset))
      expect(again.messages).toEqual(all.slice(again.offset))
    },
  )

  it.each(['end', 'rewind'] as const)(
    'opens a session from its start when an old turn changes: %s',
    async (change) => {
      const ledger = await bench.open()
      const story = createLongSession()
      const { key } = story
      await storeCheckpoint(ledger, orders['turn by turn'](story), key)
      await ledger.append(story[change](7))
      const opened = await OpenSession.atEnd({ ledger, key })
      expect(opened.offset).toBeGreaterThan(0)
      expect(await opened.readAll()).toBe(false)
      const whole = OpenSession.atStart({ ledger, key })
      expect(await whole.readAll()).toBe(true)
      expect(whole.messages).toEqual(await readWhole(ledger, key))
      if (change === 'rewind') return
      // The next checkpoint includes the change.
      expect(await whole.save(ledger)).toBe(true)
      const again = await OpenSession.atEnd({ ledger, key })
      expect(again.offset).toBeGreaterThan(600)
      expect(await again.readAll()).toBe(true)
      expect(again.messages).toEqual(whole.messages.slice(again.offset))
    },
  )

  it('uses a checkpoint only with its keys and in its own ledger', async () => {
    const ledger = await bench.open()
    const story = createLongSession()
    const { key } = story
    await storeCheckpoint(ledger, orders['turn by turn'](story), key)
    const marks = await ledger.marks('checkpoint')
    expect(marks.size).toBe(2)
    const [head, stored] = [...marks].find(([, value]) => typeof value === 'object')!
    const names = [...marks.keys()]
    await ledger.append([], { marks: { [head]: { ...(stored as object), epoch: 'other' } } })
    expect((await OpenSession.atEnd({ ledger, key })).offset).toBe(0)
    await ledger.append([], { marks: { [head]: stored, [names.find((name) => name !== head)!]: undefined } })
    expect((await OpenSession.atEnd({ ledger, key })).offset).toBe(0)
  })

  it('forgets the checkpoints of a session', async () => {
    const ledger = await bench.open()
    const story = createLongSession()
    await storeCheckpoint(ledger, orders['turn by turn'](story), story.key)
    await ledger.append([], { marks: { other: 1 } })
    await ledger.forget(story.key)
    expect([...(await ledger.marks('')).keys()]).toEqual(['other'])
  })
}

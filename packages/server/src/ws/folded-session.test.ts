import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Ledger, openLedger } from '@remora/ledger'
import { type Event, parseCursor } from '@remora/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLongSession } from '../../../ledger/src/contract/opening.test-data.ts'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import {
  acp,
  headless,
  hooks,
  interleaved,
  transcript,
  truths,
} from '../../../protocol/src/fold/conversation.test-data.ts'
import { readMessagePage } from '../core/messages.ts'
import { Broadcast } from './broadcast.ts'
import { FoldedSessions } from './folded-sessions.ts'
import { Follower, type Frame, readMessages } from './follower.test-data.ts'
import { Following } from './following.ts'
import type { Outbox } from './outbox.ts'

let folder: string
let ledger: Ledger
let over: AbortController
let broadcast: Broadcast
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remora-folded-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
  over = new AbortController()
  broadcast = await Broadcast.start(ledger, () => {}, over.signal)
})
afterEach(async () => {
  over.abort()
  await broadcast.ended
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Follows a session over a connection that takes `delay` milliseconds per frame. */
function follow(
  sessions: FoldedSessions,
  key: { agent: string; session: string },
  phone: Follower,
  delay: number,
) {
  const state = { busy: 0, most: 0, frames: 0, isLost: false }
  const outbox = {
    async send(frame: string) {
      state.frames += 1
      state.most = Math.max(state.most, ++state.busy)
      await sleep(delay)
      state.busy -= 1
      if (!state.isLost) phone.take(JSON.parse(frame) as Frame)
      return !state.isLost
    },
  } as unknown as Outbox
  const following = new Following({
    sessions,
    outbox,
    id: 'f',
    key,
    last: 4,
    ...(phone.cursor === undefined ? {} : { cursor: parseCursor(phone.cursor) }),
    onError: (error) => {
      throw error as Error
    },
  })
  return { following, state }
}

it('gives a phone the messages of the ledger after any sequence of frames and reconnects', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      truths,
      fc.infiniteStream(fc.nat({ max: 999 })),
      fc.integer({ min: 1, max: 6 }),
      async (truth, numbers, size) => {
        const random = {
          nextInt: (min: number, max: number) => min + ((numbers.next().value as number) % (max - min + 1)),
        }
        const session = `s${count++}`
        const key = { agent: 'gemini', session }
        const lanes = [transcript(truth), acp(truth, 3), hooks(truth), ...headless(truth, 4)]
        const events = interleaved(lanes, random).map((event) => ({
          ...event,
          session,
          origin: { ...event.origin, source: `${event.origin.source} ${session}` },
        })) as Event[]
        const sessions = new FoldedSessions({
          ledger,
          broadcast,
          onError: (error) => {
            throw error as Error
          },
        })
        const phone = new Follower()
        let { following, state } = follow(sessions, key, phone, 0)
        while (events.length > 0) {
          const some = events.splice(0, size)
          await ledger.append(some.map((event) => ({ events: [event] })))
          const what = random.nextInt(0, 4)
          if (what === 0) await sleep(random.nextInt(0, 12))
          if (what === 1) {
            // The frame in flight is lost with the connection.
            following.close()
            state.isLost = true
            await sleep(random.nextInt(0, 3))
            ;({ following, state } = follow(sessions, key, phone, random.nextInt(0, 4)))
          }
          expect(state.most).toBeLessThan(2)
        }
        const all = await readMessages(ledger, key)
        const hasAll = (): boolean =>
          JSON.stringify(phone.messages) === JSON.stringify(all.slice(phone.from)) &&
          phone.from + phone.messages.length === all.length
        await expect.poll(hasAll, { timeout: 30_000, interval: 5 }).toBe(true)
        expect(phone.misfits).toBe(0)
        following.close()
        sessions.close()
      },
    ),
    { numRuns: 25 },
  )
}, 120_000)

it('updates a session of 10,000 messages without folding it again', async () => {
  const story = new Story()
  const records = Array.from({ length: 3_334 }, (_, n) => [
    ...story.prompt(`Prompt ${n} with a few words`, `p${n}`),
    ...story.tell({
      type: 'tool_use',
      entity: `t${n}`,
      message: `m${n}`,
      name: 'Bash',
      input: { command: 'ls -la' },
    }),
    ...story.tell({
      type: 'tool_result',
      entity: `t${n}`,
      status: 'success',
      content: 'a line\n'.repeat(20),
    }),
    ...story.says(`Answer ${n}: ${'some words '.repeat(20)}`, `n${n}`),
  ]).flat()
  for (let at = 0; at < records.length; at += 2_000) await ledger.append(records.slice(at, at + 2_000))
  const sessions = new FoldedSessions({ ledger, broadcast, onError: () => {} })
  const phone = new Follower()
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const began = performance.now()
  const { following, state } = follow(sessions, story.key, phone, 0)
  await expect.poll(() => phone.messages.length, { timeout: 60_000, interval: 10 }).toBe(4)
  const loaded = performance.now() - began
  const blockedWhileLoading = delay.max / 1e6
  delay.reset()
  const frames = state.frames
  const changing = process.cpuUsage()
  for (let n = 0; n < 40; n++) {
    await ledger.append(
      story.tell({ type: 'text', entity: 'live/0', message: 'live', offset: n * 6, text: 'words ' }),
    )
    await sleep(25)
  }
  await expect
    .poll(() => JSON.stringify(phone.messages.at(-1)?.content), { timeout: 60_000, interval: 10 })
    .toContain('words '.repeat(40).trim())
  const blocked = delay.max / 1e6
  const sent = state.frames - frames
  const cost = process.cpuUsage(changing).user
  const used = process.cpuUsage()
  expect(await readMessages(ledger, story.key)).toHaveLength(10_003)
  const { user } = process.cpuUsage(used)
  process.stdout.write(
    `10,003 messages: read and folded in ${(user / 1000).toFixed(0)} ms of CPU; first frame after ${loaded.toFixed(0)} ms ` +
      `(blocked ${blockedWhileLoading.toFixed(0)} ms), then ${sent} frames for 40 changes in 1 s (blocked ${blocked.toFixed(0)} ms at most)\n`,
  )
  // CPU time, since the wall clock depends on the load of the machine.
  expect(user / 1000).toBeLessThan(3_000)
  // All changes together cost less than folding the session once.
  expect(cost).toBeLessThan(user)
  following.close()
  sessions.close()
}, 120_000)

it('opens a long session at its end, and reads all of it only after an old turn changed', async () => {
  const story = createLongSession()
  const { key } = story
  for (let turn = 0; turn < 300; turn++)
    await ledger.append([...story.hooks(turn), ...story.transcript(turn)])
  let events = 0
  const counted = {
    epoch: ledger.epoch,
    append: ledger.append.bind(ledger),
    marks: ledger.marks.bind(ledger),
    async read(query: Parameters<Ledger['read']>[0]) {
      const page = await ledger.read(query)
      events += page.events.length
      return page
    },
  } as Ledger
  const open = () =>
    new FoldedSessions({
      ledger: counted,
      broadcast,
      onError: (error) => {
        throw error as Error
      },
    })
  const expectAll = async (phone: Follower): Promise<void> => {
    const all = await readMessages(ledger, key)
    const hasAll = (): boolean =>
      phone.from + phone.messages.length === all.length &&
      JSON.stringify(phone.messages) === JSON.stringify(all.slice(phone.from))
    await expect.poll(hasAll, { timeout: 30_000, interval: 5 }).toBe(true)
  }
  const before = open()
  const first = follow(before, key, new Follower(), 0).following
  await expect.poll(async () => (await ledger.marks('checkpoint/')).size, { timeout: 30_000 }).toBe(1)
  first.close()
  before.close()

  events = 0
  const sessions = open()
  const phone = new Follower()
  const { following } = follow(sessions, key, phone, 0)
  await expectAll(phone)
  expect(events).toBeLessThan(600)
  expect(await readMessagePage(counted, key, { limit: 50 })).toMatchObject({ from: 850, total: 900 })
  expect(events).toBeLessThan(1_200)
  await ledger.append([...story.hooks(300), ...story.transcript(300)])
  await expectAll(phone)
  expect(phone.from + phone.messages.length).toBe(903)
  expect(events).toBeLessThan(1_200)

  await ledger.append(story.end(7))
  await expect.poll(() => events, { timeout: 30_000 }).toBeGreaterThan(2_000)
  await ledger.append([...story.hooks(301), ...story.transcript(301)])
  await expectAll(phone)
  const { messages, from } = await readMessagePage(counted, key, { before: 30, limit: 30 })
  expect(from).toBe(0)
  expect(messages).toEqual((await readMessages(ledger, key)).slice(0, 30))
  following.close()
  sessions.close()
}, 120_000)

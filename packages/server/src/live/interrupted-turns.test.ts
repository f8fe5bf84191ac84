import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { type Event, type Message, fold, getMessageText } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { InterruptedTurns, TurnText, cutWritten } from './interrupted-turns.ts'
import type { LiveRecord } from './live-record.ts'
import { TerminalEvents } from './terminal-events.ts'

const graceMs = 100
const record: LiveRecord = {
  id: 'l-test',
  agent: 'codex',
  session: 's',
  channel: 'terminal',
  cwd: '/',
  startedAt: 0,
  adopted: false,
}

type Fields = Record<string, unknown> & { type: Event['type']; entity: string }

/** A screen and the transcript of its agent, in a real ledger. */
async function openStage(folder: string) {
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  const lost = new InterruptedTurns(ledger, record, new TerminalEvents(ledger, record), graceMs)
  let key = 0
  const events = async () => {
    const { events: found } = await ledger.read({ session: record, limit: 1000 })
    return found.map(({ event }) => event)
  }
  return {
    ledger,
    lost,
    async write(...fields: Fields[]) {
      const made = fields.map((each) => ({
        agent: 'codex',
        session: 's',
        at: Date.now(),
        origin: { channel: 'transcripts', source: 'transcript', key: String(key++) },
        ...each,
      }))
      await ledger.append([{ events: made as unknown as Event[] }])
    },
    kept: async () => (await events()).filter(({ origin }) => origin.channel === 'terminal'),
    messages: async () => fold(await events()),
    show: async () =>
      fold(await events())
        .filter(({ context }) => !context)
        .map((message: Message) => getMessageText(message)),
  }
}

const prompt = (text: string, more: object = {}): Fields => ({
  type: 'message',
  entity: `p/${text}`,
  role: 'user',
  content: [{ type: 'text', text }],
  ...more,
})
const answer = (text: string, more: object = {}): Fields => ({
  type: 'text',
  entity: `a/${text}`,
  offset: 0,
  text,
  final: true,
  ...more,
})
const interrupted: Fields = { type: 'status', entity: 's', status: 'idle', detail: 'interrupted' }

describe('text that is in no transcript', () => {
  let folder: string
  let stage: Awaited<ReturnType<typeof openStage>>
  beforeEach(async () => {
    folder = await mkdtemp('/tmp/lw-')
    stage = await openStage(folder)
    await stage.lost.see({ state: 'idle' }, undefined)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await stage.ledger.close()
    await rm(folder, { recursive: true, force: true })
  })
  /** Waits until the grace period is over, as a later turn shows. */
  const settle = async () => {
    const { lost, kept } = stage
    lost.prompted('a later prompt')
    await lost.see({ state: 'working' }, 'cut off')
    await lost.see({ state: 'idle' }, undefined)
    await expect.poll(async () => JSON.stringify(await kept())).toContain('cut off')
  }

  it('stays below its own prompt, not below a context record', async () => {
    const { lost, write, kept, show } = stage
    lost.prompted('Count')
    await lost.see({ state: 'working' }, 'one two')
    const note = prompt('<turn_aborted>…</turn_aborted>', { context: true })
    await write(prompt('Count'), note, interrupted)
    await lost.see({ state: 'idle' }, undefined)
    await expect.poll(async () => (await kept()).length).toBe(3)
    expect(await show()).toEqual(['Count', 'one two'])
  })

  it('is kept when the agent writes older answers again', async () => {
    const { lost, write, kept, show } = stage
    await write(prompt('First'), answer('The first answer', { at: Date.now() - 60_000 }))
    lost.prompted('Count')
    await lost.see({ state: 'working' }, 'one two')
    await write(prompt('Count'), interrupted, answer('The first answer', { at: Date.now() - 60_000 }))
    await lost.see({ state: 'idle' }, undefined)
    await expect.poll(async () => (await kept()).length).toBe(3)
    expect(await show()).toEqual(['First', 'The first answer', 'Count', 'one two'])
  })

  it('is marked if only the screen says that it was interrupted', async () => {
    const { lost, write, messages } = stage
    lost.prompted('Count')
    await lost.see({ state: 'working' }, 'one two')
    await write(prompt('Count'), answer('**one** two'))
    await lost.see({ state: 'idle', interrupted: true }, undefined)
    const texts = async () => (await messages()).map(({ content }) => content)
    await expect
      .poll(texts)
      .toEqual([
        [{ type: 'text', text: 'Count' }],
        [expect.objectContaining({ type: 'text', text: '**one** two', partial: true })],
      ])
  })

  it('stays behind the text of the same turn that was written', async () => {
    const { lost, write, kept, show } = stage
    lost.prompted('Go')
    await lost.see({ state: 'working' }, 'I will look at it.\n\nNow I begin')
    await write(prompt('Go'), answer('I **will** look at it.'), interrupted)
    await lost.see({ state: 'idle' }, undefined)
    await expect.poll(async () => (await kept()).length).toBe(3)
    expect(await show()).toEqual(['Go', 'I **will** look at it.\nNow I begin'])
  })

  it.each([
    ['', () => {}],
    // Decided by order, not by the clock: all of this can happen in one millisecond.
    [', whatever the time', () => void vi.spyOn(Date, 'now').mockReturnValue(Date.now())],
  ])('stays once when the screen looks idle for a moment%s', async (_, setClock) => {
    const { lost, write, kept, show } = stage
    setClock()
    lost.prompted('Count')
    await lost.see({ state: 'working' }, 'one')
    await write(prompt('Count'))
    await lost.see({ state: 'idle' }, undefined)
    await lost.see({ state: 'working' }, 'one two')
    await lost.see({ state: 'idle' }, undefined)
    await expect.poll(async () => JSON.stringify(await kept())).toContain('one two')
    expect(await show()).toEqual(['Count', 'one two'])
  })

  it('keeps the prompt alone when nothing at all was written', async () => {
    const { lost, kept, show } = stage
    lost.prompted('Count')
    await lost.see({ state: 'working' }, undefined)
    await lost.see({ state: 'idle' }, undefined)
    await expect.poll(async () => (await kept()).length).toBe(2)
    expect(await show()).toEqual(['Count'])
  })

  it('does not include a finished answer that the screen renders differently', async () => {
    const { lost, write, kept } = stage
    lost.prompted('Link')
    await lost.see({ state: 'working' }, 'See the docs (example.org) for it')
    await write(prompt('Link'), answer('See [the docs](https://example.org/a/b) for it'))
    await lost.see({ state: 'idle' }, undefined)
    await settle()
    expect(JSON.stringify(await kept())).not.toContain('See the docs')
  })

  it('does not include a slash command', async () => {
    const { lost, kept } = stage
    lost.prompted('/compress')
    await lost.see({ state: 'working' }, undefined)
    await lost.see({ state: 'idle' }, undefined)
    await settle()
    expect(JSON.stringify(await kept())).not.toContain('/compress')
  })
})

describe('the text of a turn on the screen', () => {
  it('does not include the answer to the prompt before, which is still shown', () => {
    const text = new TurnText()
    expect(text.read({ state: 'working', text: 'First' })).toBe('First')
    expect(text.read({ state: 'idle', text: 'First answer' })).toBeUndefined()
    expect(text.read({ state: 'working', text: 'First answer' })).toBeUndefined()
    expect(text.read({ state: 'working', text: 'answer' })).toBeUndefined()
    expect(text.read({ state: 'working' })).toBeUndefined()
    expect(text.read({ state: 'working', text: 'Second' })).toBe('Second')
    expect(text.read({ state: 'working', text: 'Second answer' })).toBe('Second answer')
  })

  it('is cut after the written part', () => {
    expect(cutWritten('All of it', ['All *of* it'])).toBe('')
    expect(cutWritten('All of it', [])).toBe('All of it')
    expect(cutWritten('…', [])).toBe('…')
    expect(cutWritten('I will look at it.\nNow the tests', ['I *will* look at it.'])).toBe('Now the tests')
  })
})

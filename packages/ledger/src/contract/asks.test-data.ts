import type { Answer, Ask, Command } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { start } from './story.test-data.ts'

export const target = { agent: 'claude', session: 'one' }

export const ask: Ask = {
  id: 'ask 1',
  kind: 'permission',
  title: 'Run ls?',
  options: [{ id: 'yes', label: 'Yes', effect: 'allow' }],
  digest: 'shown',
}

export const answer: Answer = { ask: 'ask 1', option: 'yes', by: 'person', digest: 'shown' }

export const command: Command = {
  id: 'c1',
  client: 'phone',
  target,
  body: { kind: 'prompt', content: [{ type: 'text', text: 'Continue' }] },
  state: 'queued',
  at: start,
}

export function testAsks(bench: Bench): void {
  it('accepts the first answer and returns it to later ones', async () => {
    const ledger = await bench.open()
    await ledger.asks.open(target, ask)
    await ledger.asks.open(target, { ...ask, id: 'ask 2' })
    await ledger.asks.open({ ...target, session: 'two' }, ask)
    expect(await ledger.asks.pending()).toHaveLength(3)
    expect(await ledger.asks.pending(target)).toEqual([
      { ...target, ask },
      { ...target, ask: { ...ask, id: 'ask 2' } },
    ])
    expect(await ledger.asks.find(target, 'ask 1')).toEqual({ ask })
    expect(await ledger.asks.answer(target, answer)).toEqual({ won: true, answer })
    const late = { ...answer, option: 'no', by: 'terminal' as const }
    expect(await ledger.asks.answer(target, late)).toEqual({ won: false, answer })
    expect(await ledger.asks.find(target, 'ask 1')).toEqual({ ask, answer })
    expect(await ledger.asks.pending(target)).toHaveLength(1)
    await ledger.asks.open(target, ask)
    const redrawn = { ...ask, title: 'Run it?', digest: 'redrawn' }
    await ledger.asks.open(target, redrawn, { redrawn: true })
    expect(await ledger.asks.find(target, 'ask 1')).toEqual({ ask, answer })
    await ledger.asks.open(target, redrawn)
    expect(await ledger.asks.find(target, 'ask 1')).toEqual({ ask: redrawn })
  })

  it('rejects an answer to an ask that has changed', async () => {
    const ledger = await bench.open()
    await ledger.asks.open(target, ask)
    const changed = { ...ask, title: 'Run rm?', digest: 'changed' }
    await ledger.asks.open(target, changed)
    await expect(ledger.asks.answer(target, answer)).rejects.toMatchObject({ code: 'conflict' })
    expect(await ledger.asks.find(target, 'ask 1')).toEqual({ ask: changed })
    await expect(ledger.asks.answer(target, { ...answer, ask: 'no' })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await ledger.asks.find(target, 'no')).toBeUndefined()
  })

  it('stores a command once and moves it one state at a time', async () => {
    const ledger = await bench.open()
    expect(await ledger.commands.submit(command)).toEqual(command)
    expect(await ledger.commands.submit({ ...command, client: 'desk', at: start + 1 })).toMatchObject({
      client: 'desk',
    })
    expect(await ledger.commands.move(command, 'queued', 'sent')).toEqual({ ...command, state: 'sent' })
    expect(await ledger.commands.move(command, 'queued', 'withdrawn')).toBeUndefined()
    expect(await ledger.commands.submit(command)).toEqual({ ...command, state: 'sent' })
    const refused = { ...command, state: 'refused', reason: 'It is gone' }
    expect(await ledger.commands.move(command, 'sent', 'refused', 'It is gone')).toEqual(refused)
    await expect(ledger.commands.move(command, 'done', 'queued')).rejects.toMatchObject({ code: 'usage' })
    expect(await ledger.commands.move({ id: 'x', client: 'y' }, 'queued', 'sent')).toBeUndefined()
    expect(await ledger.commands.find(command)).toEqual(refused)
    expect(await ledger.commands.find({ id: 'x', client: command.client })).toBeUndefined()
    expect(await ledger.commands.list()).toMatchObject([refused, { client: 'desk' }])
    expect(await ledger.commands.list({ state: 'queued' })).toMatchObject([{ client: 'desk' }])
    expect(await ledger.commands.list({ session: target, state: 'refused' })).toEqual([refused])
    expect(await ledger.commands.list({ session: { ...target, agent: 'gemini' } })).toEqual([])
  })

  it('lists every command that changed after a cursor, including one that started and ended in between', async () => {
    const ledger = await bench.open()
    await ledger.commands.submit(command)
    const { commands: none, cursor } = await ledger.commands.changes()
    expect(none).toEqual([])
    expect(await ledger.commands.changes(cursor)).toEqual({ commands: [], cursor })
    const other = { ...command, id: 'c2' }
    await ledger.commands.submit(other)
    await ledger.commands.move(other, 'queued', 'sent')
    await ledger.commands.move(other, 'sent', 'done')
    const first = await ledger.commands.changes(cursor)
    expect(first.commands).toEqual([{ ...other, state: 'done' }])
    await ledger.commands.submit(other)
    expect((await ledger.commands.changes(first.cursor)).commands).toEqual([])
    const next = { ...target, session: 'known now' }
    await ledger.commands.rekey(target, next)
    const body = { kind: 'prompt' as const, content: [{ type: 'text' as const, text: 'Go back' }] }
    await ledger.commands.edit(command, body)
    expect((await ledger.commands.changes(first.cursor)).commands).toEqual([
      { ...other, state: 'done', target: next },
      { ...command, body, target: next },
    ])
  })

  it('edits a command while it is queued', async () => {
    const ledger = await bench.open()
    await ledger.commands.submit(command)
    const body = { kind: 'prompt' as const, content: [{ type: 'text' as const, text: 'Go back' }] }
    expect(await ledger.commands.edit(command, body)).toEqual({ ...command, body })
    expect(await ledger.commands.submit(command)).toEqual({ ...command, body })
    expect(await ledger.commands.edit({ id: 'x', client: 'phone' }, body)).toBeUndefined()
    await ledger.commands.move(command, 'queued', 'sent')
    expect(await ledger.commands.edit(command, command.body)).toBeUndefined()
    expect(await ledger.commands.list()).toEqual([{ ...command, body, state: 'sent' }])
  })

  it('moves the commands of a renamed session in order', async () => {
    const ledger = await bench.open()
    const next = { ...target, session: 'known now' }
    await ledger.commands.submit(command)
    await ledger.commands.submit({ ...command, id: 'c2', target: next })
    await ledger.commands.submit({ ...command, id: 'c3' })
    await ledger.commands.submit({ ...command, id: 'c4', target: { ...target, agent: 'gemini' } })
    await ledger.commands.rekey(target, next)
    expect(await ledger.commands.list({ session: target })).toEqual([])
    expect(await ledger.commands.find(command)).toEqual({ ...command, target: next })
    expect((await ledger.commands.list({ session: next })).map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
    expect(await ledger.commands.list()).toHaveLength(4)
  })
}

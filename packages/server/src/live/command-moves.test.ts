import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import type { Command } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CommandMoves } from './command-moves.ts'

const key = { agent: 'gemini', session: 'one' }
const wish: Command = {
  id: '1',
  client: 'phone',
  target: key,
  body: { kind: 'prompt', content: [{ type: 'text', text: 'hello' }] },
  state: 'queued',
  at: 1,
}

let folder = ''
let ledger: Ledger
let moved: string[]
let errors: number
/** What happens to the next moves: lost before they were done, or on the way back. */
let fates: ('before' | 'after')[]
let moves: CommandMoves
const over = new AbortController()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remora-moves-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
  moved = []
  errors = 0
  fates = []
  await ledger.commands.submit(wish)
  moves = new CommandMoves({
    ledger: {
      append: ledger.append.bind(ledger),
      marks: ledger.marks.bind(ledger),
      commands: {
        ...ledger.commands,
        async move(...args) {
          const fate = fates.shift()
          if (fate === 'before') throw new Error('away')
          const moved = await ledger.commands.move(...args)
          if (fate === 'after') throw new Error('away')
          return moved
        },
      },
    },
    hooks: { key: () => key, moved: ({ state }) => moved.push(state), onError: () => errors++ },
    signal: over.signal,
    retryMs: 5,
  })
})
afterEach(async () => {
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

const state = async () => (await ledger.commands.list())[0]!.state

it('finds a command that it took although the move failed', async () => {
  fates = ['after']
  await expect(moves.take(wish)).rejects.toThrow('away')
  expect(await moves.findUnconfirmed()).toMatchObject({ id: '1', state: 'sent' })
  expect(await moves.findUnconfirmed()).toBeUndefined()
})

it('finds no command that it did not take', async () => {
  fates = ['before']
  await expect(moves.take(wish)).rejects.toThrow('away')
  expect(await moves.findUnconfirmed()).toBeUndefined()
  expect(await moves.take(wish)).toMatchObject({ state: 'sent' })
})

it('records a result as soon as the ledger is available, and reports it once', async () => {
  await moves.take(wish)
  fates = ['before', 'before', 'after']
  await moves.settle(wish, 'done')
  expect(await state()).toBe('done')
  expect(moved).toEqual(['sent', 'done'])
  expect(errors).toBe(3)
})

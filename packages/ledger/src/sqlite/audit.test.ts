import { type SqliteDatabase, openSqlite } from '@remora/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { answer, ask, target } from '../contract/asks.test-data.ts'
import { openLedger } from '../open-ledger.ts'
import { removeFolders, sqliteEngine } from './engine.test-data.ts'

afterAll(removeFolders)

/** Manipulations of the file, and the fault that is reported. */
const manipulations: readonly [string, string, { number: number; why: RegExp }][] = [
  ['changes who', `UPDATE audit SET who = 'policy' WHERE number = 2`, { number: 2, why: /was changed/ }],
  ['changes when', 'UPDATE audit SET at = at + 1 WHERE number = 5', { number: 5, why: /was changed/ }],
  [
    'changes the answer',
    `UPDATE audit SET detail = replace(detail, 'yes', 'no!') WHERE number = 3`,
    { number: 3, why: /detail was changed/ },
  ],
  [
    'takes a detail away',
    'UPDATE audit SET detail = NULL, salt = NULL WHERE number = 4',
    { number: 4, why: /detail was removed/ },
  ],
  [
    'takes a detail away with its hash',
    'UPDATE audit SET detail = NULL, salt = NULL, detail_hash = NULL WHERE number = 4',
    { number: 4, why: /was changed/ },
  ],
  ['removes the first', 'DELETE FROM audit WHERE number = 1', { number: 1, why: /missing/ }],
  ['removes one', 'DELETE FROM audit WHERE number = 3', { number: 3, why: /missing/ }],
  [
    'removes one and closes the gap',
    'DELETE FROM audit WHERE number = 3; UPDATE audit SET number = number - 1 WHERE number > 3',
    { number: 3, why: /does not follow/ },
  ],
  ['removes the last two', 'DELETE FROM audit WHERE number > 4', { number: 5, why: /missing/ }],
  ['removes all', 'DELETE FROM audit', { number: 1, why: /missing/ }],
  [
    'exchanges two',
    'UPDATE audit SET number = -2 WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 3; UPDATE audit SET number = 3 WHERE number = -2',
    { number: 2, why: /does not follow/ },
  ],
  [
    'inserts one before all',
    `INSERT INTO audit SELECT 0, at, what, who, agent, session, detail, salt, detail_hash, hash FROM audit WHERE number = 1`,
    { number: 0, why: /number is invalid/ },
  ],
  [
    'adds one at the end',
    `INSERT INTO audit SELECT 7, at, what, who, agent, session, detail, salt, detail_hash, hash FROM audit WHERE number = 6`,
    { number: 7, why: /does not follow/ },
  ],
  [
    'cuts the end and its count',
    `DELETE FROM audit WHERE number > 5; UPDATE meta SET value = '{"count":5,"hash":"x"}' WHERE name = 'audit'`,
    { number: 5, why: /not the original last entry/ },
  ],
  [
    'takes the count away',
    `DELETE FROM meta WHERE name = 'audit'`,
    { number: 7, why: /last entry was removed/ },
  ],
]

describe('a manipulated audit log', () => {
  it.each(manipulations)('is detected: %s', async (_, sql, broken) => {
    const file = await audited()
    tamper(file, (database) => database.exec(sql))
    const ledger = await openLedger({ file })
    expect((await ledger.audit.verify()).broken).toEqual({
      number: broken.number,
      why: expect.stringMatching(broken.why),
    })
    await ledger.close()
  })

  it('may lack details of a session only if it was forgotten after them', async () => {
    const file = await audited()
    const ledger = await openLedger({ file })
    await ledger.forget(target)
    expect(await ledger.audit.verify()).toEqual({ entries: 7 })
    await ledger.asks.open(target, { ...ask, id: 'again' })
    await ledger.asks.answer(target, { ...answer, ask: 'again' })
    tamper(file, (database) => database.exec('UPDATE audit SET detail = NULL WHERE number = 8'))
    expect(await ledger.audit.verify()).toEqual({
      entries: 8,
      broken: { number: 8, why: 'its detail was removed' },
    })
    await ledger.close()
  })
})

/** A ledger with six decisions, each about its own ask. */
async function audited(): Promise<string> {
  const file = await sqliteEngine.place()
  const ledger = await openLedger({ file })
  for (let index = 0; index < 6; index++) {
    await ledger.asks.open(target, { ...ask, id: `ask ${index}` })
    await ledger.asks.answer(target, { ...answer, ask: `ask ${index}` })
  }
  expect(await ledger.audit.verify()).toEqual({ entries: 6 })
  await ledger.close()
  return file
}

function tamper(file: string, work: (database: SqliteDatabase) => void): void {
  const database = openSqlite(file)
  work(database)
  database.close()
}

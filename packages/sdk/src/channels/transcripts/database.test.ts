import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SqliteDatabase, openSqlite } from '@remora/sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDatabase } from './database.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-database-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const file = () => join(folder, 'theirs.db')
function make(): SqliteDatabase {
  const database = openSqlite(file())
  database.pragma('journal_mode = WAL')
  database.exec("CREATE TABLE said (text TEXT); INSERT INTO said VALUES ('one')")
  return database
}
async function said(): Promise<unknown[]> {
  using database = await openDatabase(file())
  return [...database.rows('SELECT text FROM said')].map(({ text }) => text)
}

it('reads a closed database and leaves no lock or log file', async () => {
  make().close()
  const before = readdirSync(folder)
  using database = await openDatabase(file())
  expect([...database.rows('SELECT text FROM said')]).toEqual([{ text: 'one' }])
  expect(readdirSync(folder)).toEqual(before)
  // Its program gets it for itself, as it may want to.
  const theirs = openSqlite(file())
  theirs.pragma('journal_mode = DELETE')
  theirs.close()
})

it('deletes the file of its copy while reading', async () => {
  make().close()
  const temporary = mkdtempSync(join(folder, 'temporary-'))
  vi.stubEnv('TMPDIR', temporary)
  using database = await openDatabase(file())
  expect(readdirSync(temporary)).toEqual([])
  expect([...database.rows('SELECT text FROM said')]).toEqual([{ text: 'one' }])
})

it('reads rows that are still in the write-ahead log', async () => {
  const theirs = make()
  theirs.exec("INSERT INTO said VALUES ('two')")
  expect(await said()).toEqual(['one', 'two'])
  theirs.close()
  expect(await said()).toEqual(['one', 'two'])
})

it('reads a database without a write-ahead log', async () => {
  const theirs = make()
  theirs.pragma('journal_mode = DELETE')
  expect(await said()).toEqual(['one'])
  theirs.close()
})

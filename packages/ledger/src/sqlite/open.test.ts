import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openSqlite } from '@remora/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { command } from '../contract/asks.test-data.ts'
import { Story, everyEvent } from '../contract/story.test-data.ts'
import { openLedger } from '../open-ledger.ts'
import { removeFolders, sqliteEngine } from './engine.test-data.ts'
import { explain } from './failure.ts'

afterAll(removeFolders)

describe('opening a ledger in a file', () => {
  it('creates the folder and the file for the user only', async () => {
    const file = join(dirname(await sqliteEngine.place()), 'deep', 'er', 'ledger.db')
    const ledger = await openLedger({ file })
    await ledger.append(new Story().prompt('Hi'))
    const folder = dirname(file)
    for (const name of await readdir(folder))
      expect([name, (await mode(join(folder, name))) & 0o077]).toEqual([name, 0])
    expect(await mode(folder)).toBe(0o700)
    await ledger.close()
    expect(await readdir(folder)).toEqual(['ledger.db'])
  })

  it('removes the permissions of others', async () => {
    const file = await sqliteEngine.place()
    await (await openLedger({ file })).close()
    await chmod(file, 0o644)
    await (await openLedger({ file })).close()
    expect(await mode(file)).toBe(0o600)
  })

  it('upgrades what an older version wrote, and loses nothing', async () => {
    const file = await sqliteEngine.place()
    const story = new Story()
    const first = await openLedger({ file })
    await first.append(everyEvent(story).map((event) => ({ events: [event] })))
    await first.commands.submit(command)
    await first.close()
    const database = openSqlite(file)
    for (const table of ['calls', 'call_names', 'prompts', 'audit', 'nodes'])
      database.exec(`DROP TABLE ${table}`)
    database.exec('ALTER TABLE sessions DROP COLUMN node')
    database.exec(
      'DROP TRIGGER command_inserted; DROP TRIGGER command_updated; DROP INDEX commands_by_change',
    )
    database.exec('ALTER TABLE commands DROP COLUMN changed')
    // The list of migrations as version 0.1 kept it.
    database.exec(
      `DELETE FROM meta WHERE name IN ('called', 'audit', 'command_changes');
       DROP TABLE migrations;
       CREATE TABLE migrations (name varchar(255) NOT NULL PRIMARY KEY, timestamp varchar(255) NOT NULL);
       CREATE TABLE migrations_lock (id varchar(255) NOT NULL PRIMARY KEY, is_locked integer DEFAULT 0 NOT NULL);
       INSERT INTO migrations VALUES ('0001-first', '2026-01-01T00:00:00.000Z');
       INSERT INTO migrations_lock VALUES ('migration_lock', 0)`,
    )
    database.pragma('user_version = 1')
    database.close()
    const ledger = await openLedger({ file })
    expect((await ledger.read()).events.map(({ event }) => event.type)).toContain('unknown')
    expect((await ledger.calls()).map(({ tool, status }) => [tool, status])).toEqual([
      ['Bash', 'success'],
      ['Read', 'denied'],
    ])
    expect(await ledger.audit.verify()).toEqual({ entries: 0 })
    const { cursor } = await ledger.commands.changes()
    const sent = await ledger.commands.move(command, 'queued', 'sent')
    expect((await ledger.commands.changes(cursor)).commands).toEqual([sent])
    await ledger.close()
  })

  it('refuses a file of a newer version and leaves it unchanged', async () => {
    const file = await sqliteEngine.place()
    await (await openLedger({ file })).close()
    const database = openSqlite(file)
    database.pragma('user_version = 99')
    database.pragma('journal_mode = DELETE')
    database.close()
    const before = await readFile(file)
    await expect(openLedger({ file })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/newer version of Remora \(schema 99/),
      hint: expect.stringMatching(/Update Remora/),
    })
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  it('refuses a file that is not a database, another database, and a damaged one', async () => {
    const text = await sqliteEngine.place()
    await writeFile(text, 'Dear diary, '.repeat(1000))
    await expect(openLedger({ file: text })).rejects.toMatchObject({
      code: 'config',
      hint: expect.any(String),
    })
    expect(await readFile(text, 'utf8')).toMatch(/^Dear diary/)

    const foreign = await sqliteEngine.place()
    const database = openSqlite(foreign)
    database.exec('CREATE TABLE diary (day)')
    database.close()
    await expect(openLedger({ file: foreign })).rejects.toThrow(/not a ledger/)

    const damaged = await sqliteEngine.place()
    const ledger = await openLedger({ file: damaged })
    await ledger.append([{ events: everyEvent(new Story()) }])
    await ledger.close()
    const bytes = await readFile(damaged)
    await writeFile(damaged, bytes.fill(0xa5, 200))
    await expect(openLedger({ file: damaged })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/damaged/),
    })
  })

  it('refuses a path that cannot hold a ledger', async () => {
    const file = await sqliteEngine.place()
    await writeFile(file, '')
    await expect(openLedger({ file: join(file, 'below') })).rejects.toMatchObject({ code: 'config' })
    const folder = join(dirname(file), 'folder')
    await mkdir(folder)
    await expect(openLedger({ file: folder })).rejects.toMatchObject({ code: 'config' })
  })

  it('is created once when many processes open it', async () => {
    const file = await sqliteEngine.place()
    const ledgers = await Promise.all(Array.from({ length: 6 }, () => openLedger({ file })))
    expect(new Set(ledgers.map(({ epoch }) => epoch)).size).toBe(1)
    for (const ledger of ledgers) await ledger.close()
  })

  it('leaves no word of a forgotten session in its files', async () => {
    const file = await sqliteEngine.place()
    const ledger = await openLedger({ file })
    const story = new Story()
    const words = Array.from({ length: 3000 }, (_, index) => `xylophone${index}`).join(' ')
    await ledger.append([...story.prompt(words), ...new Story({ session: 'kept' }).prompt('kept words')])
    await ledger.append(Array.from({ length: 50 }, () => story.says(words)).flat())
    await ledger.indexText()
    expect(await contains(file, 'xylophone')).toBe(true)
    await ledger.forget(story.key)
    expect(await contains(file, 'xylophone')).toBe(false)
    expect(await contains(file, 'kept words')).toBe(true)
    await ledger.close()
  })
})

describe('failures', () => {
  it.each([
    ['SQLITE_BUSY', 'conflict'],
    ['SQLITE_FULL', 'unknown'],
    ['SQLITE_READONLY_DBMOVED', 'permission'],
    ['SQLITE_CORRUPT_VTAB', 'config'],
    ['SQLITE_IOERR_READ', 'unknown'],
  ])('explains %s with a hint', (code, kind) => {
    const cause = Object.assign(new Error('from SQLite'), { code })
    const error = explain(cause, '/x/ledger.db')
    expect(error).toMatchObject({ code: kind, cause, hint: expect.any(String) })
    expect(error.message).toContain('/x/ledger.db')
    expect(explain(error, '/x/ledger.db')).toBe(error)
  })

  it('leaves other errors unchanged', () => {
    const errors = [new Error('ours'), Object.assign(new Error('theirs'), { code: 'EWHATEVER' })]
    for (const error of errors) expect(explain(error, 'x')).toBe(error)
  })
})

async function mode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

async function contains(file: string, word: string): Promise<boolean> {
  const folder = dirname(file)
  const contents = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))))
  return contents.some((bytes) => bytes.includes(word))
}

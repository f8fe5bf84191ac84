import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openWithBetter } from './better-driver.ts'
import { type SqliteDatabase, getSqliteCode, openSqlite } from './index.ts'
import { hasNodeSqlite } from './node-driver.ts'

let folder = ''
const opened: SqliteDatabase[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-sqlite-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const database of opened.splice(0)) database.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = (name = 'test.db') => join(folder, name)
function open(...parameters: Parameters<typeof openSqlite>): SqliteDatabase {
  const database = openSqlite(...parameters)
  opened.push(database)
  return database
}
function getCode(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    return getSqliteCode(error)
  }
  return 'no error'
}

describe('statements', () => {
  it('return rows, the number of changes and the last row id as numbers', () => {
    const database = open(':memory:')
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, value)')
    const insert = database.prepare('INSERT INTO t (value) VALUES (?)')
    expect(insert.run('a')).toEqual({ changes: 1, lastInsertRowid: 1 })
    expect(insert.run(2.5)).toEqual({ changes: 1, lastInsertRowid: 2 })
    const select = database.prepare('SELECT * FROM t WHERE id >= ? ORDER BY id')
    expect(select.all(1)).toEqual([
      { id: 1, value: 'a' },
      { id: 2, value: 2.5 },
    ])
    expect(select.get(2)).toEqual({ id: 2, value: 2.5 })
    expect(select.get(3)).toBeUndefined()
    for (const row of select.iterate(1)) {
      expect(row).toEqual({ id: 1, value: 'a' })
      break
    }
    expect([...select.iterate(2)]).toHaveLength(1)
    const returning = database.prepare('INSERT INTO t (value) VALUES (?) RETURNING id')
    expect(returning.get(null)).toEqual({ id: 3 })
  })

  it('keep bytes as bytes', () => {
    const bytes = open(':memory:')
      .prepare<{ bytes: Uint8Array }>('SELECT ? AS bytes')
      .get(Uint8Array.of(1, 0, 255))
    expect([...bytes!.bytes]).toEqual([1, 0, 255])
  })

  it('run after full text search has used row ids above the largest safe integer', () => {
    const database = open(':memory:')
    database.exec(`CREATE VIRTUAL TABLE search USING fts5 (text, content = '', contentless_delete = 1);
      CREATE TABLE t (id INTEGER PRIMARY KEY)`)
    const insert = database.prepare('INSERT INTO search (rowid, text) VALUES (?, ?)')
    const words = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ')
    for (let id = 1; id <= 50; id++) insert.run(id, words)
    expect(database.prepare('DELETE FROM search WHERE rowid <= 25').run().changes).toBe(25)
    expect(database.prepare('DELETE FROM t').run().changes).toBe(0)
    expect(database.prepare('INSERT INTO t VALUES (7)').run()).toEqual({ changes: 1, lastInsertRowid: 7 })
  })
})

describe('transactions', () => {
  it('commit, or roll back after a failure', () => {
    const database = open(file())
    database.exec('CREATE TABLE t (value)')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const count = database.prepare<{ count: number }>('SELECT count(*) AS count FROM t')
    expect(
      database.transaction('immediate', () => {
        insert.run(1)
        return database.inTransaction
      }),
    ).toBe(true)
    const fail = () =>
      database.transaction('exclusive', () => {
        insert.run(2)
        throw new Error('stop')
      })
    expect(fail).toThrow('stop')
    expect(database.inTransaction).toBe(false)
    expect(count.get()).toEqual({ count: 1 })
  })

  it('can start again after SQLite has rolled back by itself', () => {
    const database = open(file())
    database.exec('CREATE TABLE t (value UNIQUE ON CONFLICT ROLLBACK)')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const insertTwice = () =>
      database.transaction('deferred', () => {
        insert.run(1)
        insert.run(1)
      })
    expect(getCode(insertTwice)).toBe('SQLITE_CONSTRAINT')
    expect(database.transaction('deferred', () => insert.run(1).changes)).toBe(1)
  })
})

describe('error codes', () => {
  it('identify the failure of SQLite', () => {
    expect(getCode(() => open(join(folder, 'missing', 'test.db')))).toBe('SQLITE_CANTOPEN')
    expect(getCode(() => open(file('missing.db'), { readOnly: true }))).toBe('SQLITE_CANTOPEN')
    writeFileSync(file('text.db'), 'not a database '.repeat(100))
    expect(getCode(() => open(file('text.db')).pragma('user_version'))).toBe('SQLITE_NOTADB')

    const database = open(file())
    database.exec('CREATE TABLE t (value UNIQUE)')
    expect(getCode(() => database.exec('SELECT nothing'))).toBe('SQLITE_ERROR')
    expect(getCode(() => open(file(), { readOnly: true }).exec('DELETE FROM t'))).toBe('SQLITE_READONLY')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    insert.run(1)
    expect(getCode(() => insert.run(1))).toBe('SQLITE_CONSTRAINT')
    database.pragma(`max_page_count = ${Number(database.pragma('page_count'))}`)
    expect(getCode(() => insert.run('x'.repeat(1e6)))).toBe('SQLITE_FULL')
    expect(getSqliteCode(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toBeUndefined()
  })

  it('report a lock of another connection, immediately or after the timeout', () => {
    const database = open(file())
    const others = [open(file()), open(file(), { timeoutMs: 300 })]
    database.transaction('immediate', () => {
      const times = others.map((other) => {
        const start = performance.now()
        expect(getCode(() => other.transaction('immediate', () => {}))).toBe('SQLITE_BUSY')
        return performance.now() - start
      })
      expect(times[1]).toBeGreaterThanOrEqual(250)
    })
    others[0]!.transaction('immediate', () => {})
  })
})

it('runs a pragma to its end', () => {
  const database = open(file())
  database.pragma('auto_vacuum = INCREMENTAL')
  expect(database.pragma('journal_mode = WAL')).toBe('wal')
  database.exec('CREATE TABLE t (value)')
  database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(1e6))
  database.exec('DELETE FROM t')
  const free = Number(database.pragma('freelist_count'))
  expect(free).toBeGreaterThan(100)
  database.pragma('incremental_vacuum(100)')
  expect(database.pragma('freelist_count')).toBe(free - 100)
})

it('makes a backup while another connection writes', async () => {
  const database = open(file())
  database.pragma('journal_mode = WAL')
  database.exec('CREATE TABLE t (value)')
  const rows = Array.from({ length: 500 }, () => 'x'.repeat(10_000))
  const insert = database.prepare('INSERT INTO t VALUES (?)')
  database.transaction('immediate', () => rows.forEach((row) => insert.run(row)))
  writeFileSync(file('copy.db'), '')
  const done = database.backup(file('copy.db'))
  const other = open(file(), { timeoutMs: 5_000 })
  other.prepare('INSERT INTO t VALUES (?)').run('meanwhile')
  await done
  const copy = open(file('copy.db'), { readOnly: true })
  expect(copy.pragma('integrity_check')).toBe('ok')
  const { count } = copy.prepare<{ count: number }>('SELECT count(*) AS count FROM t').get()!
  expect([500, 501]).toContain(count)
  expect(statSync(file('copy.db')).size).toBeGreaterThan(5_000_000)
})

it('can be closed twice, and refuses work afterwards', () => {
  const database = open(file())
  const select = database.prepare('SELECT 1')
  expect(database.isOpen).toBe(true)
  database.close()
  database.close()
  expect(database.isOpen).toBe(false)
  expect(() => select.get()).toThrow()
  expect(() => database.exec('SELECT 1')).toThrow()
})

describe('the driver', () => {
  it.each(['20.20.2', '22.15.1', '23.11.1'])(
    'is not the one of Node %s, which has no full text search',
    (version) => {
      expect(hasNodeSqlite(version)).toBe(false)
    },
  )

  it('names the package to install if better-sqlite3 is needed and missing', () => {
    expect(() => openWithBetter(file(), { readOnly: false }, 'better-sqlite3-is-missing')).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringMatching(/better-sqlite3 is not installed/),
        hint: expect.stringMatching(/Node 22\.16 or newer, or run `npm install better-sqlite3`/),
      }),
    )
  })

  it('follows the link of better-sqlite3, whatever file was checked last', async () => {
    const library = join(folder, 'store/node_modules')
    for (const [name, text] of [
      ['linked', `module.exports = require('dependency')`],
      ['dependency', `module.exports = class { close() {} }`],
    ] as const) {
      mkdirSync(join(library, name), { recursive: true })
      writeFileSync(join(library, name, 'index.js'), text)
    }
    symlinkSync(join(library, 'linked'), join(folder, 'linked'))
    // Node must know the folders above it.
    createRequire(import.meta.url)(join(library, 'dependency'))
    const server = createServer()
    await once(server.listen(join(folder, 'socket')), 'listening')
    lstatSync(join(folder, 'socket'))
    expect(() => openWithBetter(file(), { readOnly: false }, join(folder, 'linked'))).not.toThrow()
    server.close()
  })

  it('names the command to run if better-sqlite3 was built for another Node', () => {
    const name = join(folder, 'broken.cjs')
    writeFileSync(
      name,
      `module.exports = class { constructor() { process.dlopen({ exports: {} }, __filename) } }`,
    )
    expect(() => openWithBetter(file(), { readOnly: false }, name)).toThrow(
      expect.objectContaining({ code: 'config', hint: expect.stringMatching(/npm rebuild better-sqlite3/) }),
    )
  })

  it('refuses an unknown value of REMORA_SQLITE', () => {
    vi.stubEnv('REMORA_SQLITE', 'oracle')
    expect(() => openSqlite(file())).toThrow(expect.objectContaining({ code: 'config' }))
  })

  it('hides its own experimental warning and no other', async () => {
    const script = `
      const { openSqlite } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)})
      const { emitWarning } = process
      openSqlite(':memory:').close()
      if (process.emitWarning !== emitWarning) throw new Error('emitWarning was replaced')
      process.emitWarning('another feature', 'ExperimentalWarning')`
    const { stderr } = await promisify(execFile)(process.execPath, [
      '--import',
      import.meta.resolve('tsx'),
      '--input-type=module',
      '-e',
      script,
    ])
    expect(stderr).toMatch(/ExperimentalWarning: another feature/)
    expect(stderr).not.toMatch(/SQLite/)
  })
})

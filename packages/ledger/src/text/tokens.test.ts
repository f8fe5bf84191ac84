import { openSqlite } from '@remora/sqlite'
import { expect, it } from 'vitest'
import { shortenToken, tokenize } from './tokens.ts'

it('splits words like SQLite at every character that its tables know', () => {
  const database = openSqlite(':memory:')
  database.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')`)
  const insert = database.prepare('INSERT INTO t (rowid, x) VALUES (?, ?)')
  // Latin, Greek, Cyrillic, Hebrew and Arabic letters, their marks, symbols, and Asian scripts.
  const codes = [...range(1, 0x250), ...range(0x370, 0x700), ...range(0x900, 0xe00), ...range(0x1e00, 0x2100)]
  const text = (code: number): string => `q${String.fromCodePoint(code)}z Q`
  database.transaction('deferred', () => {
    for (const code of codes) insert.run(code, text(code))
  })
  const expected = new Map<number, string[]>()
  const rows = database.prepare('SELECT doc, term FROM v ORDER BY doc, offset').all() as {
    doc: number
    term: string
  }[]
  for (const { doc, term } of rows) expected.set(doc, [...(expected.get(doc) ?? []), term])
  database.close()
  const other = codes.filter((code) => tokenize(text(code)).join(' ') !== expected.get(code)!.join(' '))
  const letters = other
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /[\p{L}\p{N}]/u.test(character))
  // The first two have two accents, and SQLite's tables are older than the others.
  expect(letters.join('')).toBe('ǠǡͿԨԪԬԮ')
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

it('removes accents in every form, and treats each character of scripts without spaces as a word', () => {
  expect(tokenize('Café CAFE\u0301_x naïve, Straße ΟΔΟΣ')).toEqual([
    'cafe',
    'cafe',
    'x',
    'naive',
    'straße',
    'οδοσ',
  ])
  expect(tokenize('Ёлка, ёлка')).toEqual(['ёлка', 'ёлка'])
  expect(tokenize('解析 v2')).toEqual(['解', '析', 'v2'])
  expect(tokenize('\0 \ud800 -- "\' \\ :*&|')).toEqual([])
})

it('keeps long words distinct, and their prefixes', () => {
  const long = 'x'.repeat(5000)
  expect(shortenToken(`${long}a`)).not.toBe(shortenToken(`${long}b`))
  expect(shortenToken(long)).toMatch(/^x{500}[0-9a-f]{40}$/)
  expect(Buffer.byteLength(shortenToken('語'.repeat(5000)))).toBeLessThan(2000)
  expect(shortenToken(`${'x'.repeat(499)}\u{1f600}`)).toMatch(/^x{499}[0-9a-f]{40}$/)
  expect(shortenToken('short')).toBe('short')
})

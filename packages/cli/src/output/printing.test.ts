import { usageGroups } from '@remora/ledger'
import picocolors from 'picocolors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { splitCommand } from '../args/split-command.ts'
import { countOption, timeOption } from '../args/time-option.ts'
import { groups } from '../insights/usage.ts'
import { byteSize, plural, shortNumber, wholeNumber } from './format-number.ts'
import { ago, formatDate } from './format-time.ts'
import { homePath } from './home-path.ts'
import { Progress } from './progress.ts'
import { shellLine } from './shell-word.ts'
import { shortIds } from './short-ids.ts'
import { table } from './table.ts'
import { cutStart, cutTo, padTo, textWidth } from './text-width.ts'

const paint = picocolors.createColors(false)

it('lists the existing groups', () => {
  expect(groups).toEqual(usageGroups)
})

describe('terminal columns', () => {
  it('are counted by character', () => {
    expect(['abc', '日本', 'é', 'e\u0301', '✓', '🎉', ''].map(textWidth)).toEqual([3, 4, 1, 1, 1, 2, 0])
  })

  it('are never exceeded by cut text', () => {
    for (const text of ['plain words here', '日本語のタイトル', '🎉🎉🎉 party', 'a 日 b 本'])
      for (let limit = 0; limit < 20; limit++) {
        expect(textWidth(cutTo(text, limit))).toBeLessThanOrEqual(limit)
        expect(textWidth(cutStart(text, limit))).toBeLessThanOrEqual(limit)
      }
    expect(cutTo('a long title', 7)).toBe('a long…')
    expect(cutStart('~/work/app', 6)).toBe('…k/app')
    expect([padTo('日', 4), padTo('7', 3, 'right')]).toEqual(['日  ', '  7'])
  })
})

describe('a table', () => {
  const columns = [
    { title: 'ID' },
    { title: 'TITLE', least: 8 },
    { title: 'MODEL', least: 4, from: 60 },
    { title: 'N', align: 'right' as const },
    { title: 'FOLDER', least: 6, cut: 'start' as const },
  ]
  const rows = [
    {
      cells: ['abcd', 'A title that is too long for one column', 'some-model', '1', '~/work/deep/down/app'],
    },
    { cells: ['efgh', '日本語', 'm', '1000', '~'] },
  ]

  it('fits the width and cuts only shrinkable columns', () => {
    for (const width of [40, 60, 80, 100])
      for (const line of table(columns, rows, width, paint))
        expect(textWidth(line)).toBeLessThanOrEqual(width)
    expect(table(columns, rows, 40, paint)).toEqual([
      'ID    TITLE             N  FOLDER',
      'abcd  A title that…     1  …eep/down/app',
      'efgh  日本語         1000  ~',
    ])
  })

  it('is not cut if it fits', () => {
    expect(table(columns, rows, 1000, paint)[1]).toBe(
      'abcd  A title that is too long for one column  some-model     1  ~/work/deep/down/app',
    )
  })
})

it('formats ages', () => {
  const now = Date.UTC(2026, 5, 15, 12)
  const past = [0, 59_000, 61_000, 3_700_000, 90_000_000, 29 * 86_400_000, -5000]
  expect(past.map((each) => ago(now - each, now))).toEqual([
    'just now',
    'just now',
    '1 min ago',
    '1 h ago',
    '1 d ago',
    '29 d ago',
    'just now',
  ])
  expect(ago(now - 40 * 86_400_000, now)).toBe(formatDate(now - 40 * 86_400_000))
})

it('formats numbers', () => {
  expect([0, 999, 1000, 12_345, 999_999, 1_500_000, 2e9].map(shortNumber)).toEqual([
    '0',
    '999',
    '1.0k',
    '12.3k',
    '999k',
    '1.5M',
    '2.0G',
  ])
  expect([0, 999, 1000, 1_234_567].map(wholeNumber)).toEqual(['0', '999', '1,000', '1,234,567'])
  expect([12, 1500, 2_000_000, 3.25e9].map(byteSize)).toEqual(['12 B', '1.5 kB', '2.0 MB', '3.3 GB'])
  expect([plural(1, 'file'), plural(2000, 'file')]).toEqual(['1 file', '2,000 files'])
})

describe('a time on the command line', () => {
  const now = new Date(2026, 5, 15, 12, 30).getTime()
  const read = (text: string, edge?: 'start' | 'end') => timeOption('since', text, now, edge)

  it('is an age, a day, or a time', () => {
    expect([read('30m'), read('24h'), read('7d'), read('2w')].map((time) => now - time)).toEqual([
      1_800_000, 86_400_000, 604_800_000, 1_209_600_000,
    ])
    expect(read('2026-06-01')).toBe(new Date(2026, 5, 1).getTime())
    expect(read('2026-06-01', 'end')).toBe(new Date(2026, 5, 2).getTime() - 1)
    expect(read('today')).toBe(new Date(2026, 5, 15).getTime())
    expect(read('yesterday', 'end')).toBe(new Date(2026, 5, 15).getTime() - 1)
    expect(read('2026-06-01T10:00')).toBe(new Date(2026, 5, 1, 10).getTime())
    expect(read('2026-06-01 10:00')).toBe(new Date(2026, 5, 1, 10).getTime())
    expect(read('2026-06-01T10:00:00Z')).toBe(Date.UTC(2026, 5, 1, 10))
  })

  it.each(['', 'soon', '7', '7x', '-7d', '2026-13-01', '2026-02-31', '2026-1-1'])('is not %j', (text) => {
    expect(() => read(text)).toThrow(`Invalid value "${text}" for --since`)
  })

  it.each(['0', '-1', '1.5', 'x', ''])('and a count is not %j', (text) => {
    expect(() => countOption('limit', text)).toThrow(`Invalid value "${text}" for --limit`)
  })
})

it('shortens ids to unique prefixes', () => {
  const ids = [
    '0190aaaa-1111-7000-8000-000000000001',
    '0190aaaa-2222-7000-8000-000000000002',
    'ses_1',
    'f0f0f0f0-1',
    'ses_12',
  ]
  const short = shortIds(ids)
  expect(ids.map(short)).toEqual(['0190aaaa-1', '0190aaaa-2', 'ses_1', 'f0f0f0f0', 'ses_12'])
  expect(short('unknown-id')).toBe('unknown-id')
})

it('formats paths and shell words', () => {
  expect(
    ['/home/me', '/home/me/app', '/home/meadow', '/x'].map((path) => homePath(path, '/home/me')),
  ).toEqual(['~', '~/app', '/home/meadow', '/x'])
  const words = ['gemini', '--resume', "it's", 'a b', '$HOME', '', '~/x']
  expect(splitCommand(shellLine(words))).toEqual(words)
  expect(shellLine(['~/x'])).toBe("'~/x'")
})

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  const printProgress = (errorTerminal: boolean, afterMs: number) => {
    let err = ''
    const progress = new Progress({
      errorTerminal,
      columns: 40,
      err: (text: string) => void (err += text),
    } as never)
    vi.setSystemTime(Date.now() + afterMs)
    progress.update('Reading sessions', 0.456, '12 of 30 files, and more words than fit on the line')
    progress.clear()
    return err
  }

  it('is one line on a terminal, erased at the end', () => {
    expect(printProgress(true, 320)).toBe('\r\u001B[KReading sessions  45 %  12 of 30 files…\r\u001B[K')
  })

  it('is not shown for fast work or into a pipe', () => {
    expect([printProgress(true, 0), printProgress(false, 320)]).toEqual(['', ''])
  })
})

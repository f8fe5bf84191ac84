import { appendFileSync, mkdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import picocolors from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findPartialDay } from '../insights/usage-report.ts'
import { dollars } from '../insights/usage.ts'
import { isFresh } from '../ledger/freshness.ts'
import { textWidth } from '../output/text-width.ts'
import { TestHome, edit, hello, shell } from './home.test-data.ts'
import { highlighted } from './search.ts'

let home: TestHome
beforeEach(async () => {
  home = new TestHome()
  for (const each of [hello, edit, shell]) await home.add(each)
})
afterEach(() => home[Symbol.dispose]())

describe('remora search', () => {
  interface Found {
    hits: { session: string; kind: string; snippet: string; matches: [number, number][] }[]
    text: { done: number; total: number }
  }
  const found = async (...words: string[]) =>
    (await home.remora(['search', '--json', ...words])).json<Found>()

  it('finds new messages with their session', async () => {
    const { hits, text } = await found('failed', 'exit')
    expect(hits[0]).toMatchObject({ session: shell.id, agent: 'codex', kind: 'text' })
    const [first] = hits[0]!.matches
    expect(hits[0]!.snippet.slice(...first!)).toMatch(/^(?:failed|exit)$/i)
    expect(text.done).toBe(text.total)
    const file = await home.add({
      ...hello,
      scenario: 'two-turns',
      id: 'dddd1111-0000-4000-8000-000000000004',
    })
    expect((await found('conversation')).hits.map(({ session }) => session)).toContain(
      'dddd1111-0000-4000-8000-000000000004',
    )
    rmSync(file)
  })

  it('finds matches before --until', async () => {
    const all = (await home.remora(['search', 'failed', '--json'])).json<{ hits: { at: number }[] }>().hits
    const none = await home.remora(['search', 'failed', '--until', '2020-01-01', '--json'])
    expect(all.length).toBeGreaterThan(0)
    expect(none.json<{ hits: unknown[] }>().hits).toEqual([])
  })

  it('filters by agent, folder and time', async () => {
    expect((await found('plan', '--agent', 'gemini')).hits.length).toBeGreaterThan(0)
    expect((await found('plan', '--agent', 'claude')).hits).toEqual([])
    expect((await found('plan', '--cwd', '/elsewhere')).hits).toEqual([])
    expect((await found('plan', '--limit', '1')).hits).toHaveLength(1)
    expect((await found('change it')).hits.length).toBeGreaterThan(0)
    expect((await found('it change')).hits).toEqual([])
  })

  it('prints the matching text and the session', async () => {
    const { out, err, code } = await home.remora(['search', 'failed'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /^cccc1111 .*codex · \/home\/user\/work\n {2}.*, agent: The command failed with exit code 3\.\n/,
    )
    expect(await home.remora(['search', 'nonexistentword'])).toMatchObject({
      code: 0,
      out: '',
      err: 'No results.\n  Try fewer words, or a prefix.\n',
    })
  })

  it('highlights matches next to any character', () => {
    const paint = { ...picocolors.createColors(false), bold: (text: unknown) => `[${String(text)}]` }
    const snippet = 'a\n\u001B[31mred\u001B[0m needle\tin hay, needle'
    const at = (from: number): [number, number] => [
      snippet.indexOf('needle', from),
      snippet.indexOf('needle', from) + 6,
    ]
    const matches = [at(0), at(25)]
    expect(highlighted({ snippet, matches }, paint)).toBe('a red [needle] in hay, [needle]')
    expect(highlighted({ snippet: 'x', matches: [] }, paint)).toBe('x')
  })
})

describe('remora usage', () => {
  interface Report {
    by: string[]
    rows: Record<string, unknown>[]
    total: { usage: Record<string, number>; costUsd: number | null; costComplete: boolean }
    unpriced: string[]
    pricesAsOf: string
  }
  const report = async (...words: string[]) =>
    (await home.remora(['usage', '--json', ...words])).json<Report>()

  it('sums by the chosen groups', async () => {
    const { by, rows, total, unpriced } = await report('--by', 'agent')
    expect(by).toEqual(['agent'])
    expect(Object.fromEntries(rows.map(({ agent, costComplete }) => [agent, costComplete]))).toEqual({
      claude: true,
      codex: false,
      gemini: true,
    })
    expect(rows.find(({ agent }) => agent === 'gemini')).toMatchObject({
      usage: { inputTokens: 474, outputTokens: 53, totalTokens: 527 },
      costUsd: expect.closeTo((474 * 0.75 + 53 * 3.75) / 1e6, 9),
    })
    expect(unpriced).toEqual(['scripted-model'])
    const sum = rows.reduce((all, { usage }) => all + (usage as { totalTokens: number }).totalTokens, 0)
    expect(total).toMatchObject({ usage: { totalTokens: sum }, costComplete: false })
    for (const group of ['day', 'model', 'project', 'session', 'day,agent,model'])
      expect((await report('--by', group)).total).toEqual(total)
  })

  it('uses local days, and only the chosen ones', async () => {
    const days = async (...words: string[]) => (await report(...words)).rows.map(({ day }) => day)
    const local = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`)).toLocaleDateString('sv')
    expect(await days()).toEqual([local('2026-10-01'), local('2026-10-02')])
    expect(await days('--since', '2026-10-02T00:00:00Z')).toEqual([local('2026-10-02')])
    expect(await days('--until', '2026-10-01T12:00:00Z')).toEqual([local('2026-10-01')])
    expect(await days('--agent', 'kiro')).toEqual([])
  })

  it('reports an incomplete first day if --since is a time within it', async () => {
    const rows = [{ day: '2026-10-01', usage: {}, unpriced: false }]
    const since = (...time: [number, number]) => new Date(2026, 9, 1, ...time).getTime()
    expect(findPartialDay({ rows }, since(9, 30))).toEqual({ day: '2026-10-01', from: '09:30' })
    expect(findPartialDay({ rows }, since(0, 0))).toBeUndefined()
    expect(findPartialDay({ rows }, since(24, 1))).toBeUndefined()
    expect(findPartialDay({ rows }, undefined)).toBeUndefined()
    expect(await report('--since', '2026-10-01')).toMatchObject({ partialDay: null })
  })

  it('prints a table with a total and the models without a price', async () => {
    const { out, code } = await home.remora(['usage', '--by', 'model'])
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^MODEL +INPUT +OUTPUT +CACHED +THOUGHT +TOTAL +COST$/)
    expect(lines).toContainEqual(expect.stringMatching(/^scripted-model +262 +29 +0 +0 +291 +-$/))
    expect(lines).toContainEqual(expect.stringMatching(/^Total .* \$0\.00\d\d\*$/))
    expect(lines.at(-2)).toBe('* Unknown price, not in the cost: scripted-model.')
    expect(lines.at(-1)).toMatch(
      /^Cost: as reported by the agent, else list prices as of \d{4}-\d{2}-\d{2}\.$/,
    )
    expect((await home.remora(['usage', '--by', 'session'])).out).toMatch(/^aaaa1111 Say hello\. /m)
  })

  it('reports missing usage', async () => {
    expect(await home.remora(['usage', '--agent', 'kiro'])).toMatchObject({
      code: 0,
      out: '',
      err: 'No usage matches.\n  Remove a filter, or show all: remora usage\n',
    })
    using empty = new TestHome()
    expect((await empty.remora(['usage'])).err).toMatch(/^No usage yet\.\n {2}Start one: /)
    expect((await empty.remora(['usage', '--json'])).json()).toMatchObject({
      rows: [],
      total: { usage: {}, costUsd: null },
    })
  })

  it('formats dollars', () => {
    expect([0, 0.00123, 0.5, 12.345, 1234.5].map(dollars)).toEqual([
      '$0',
      '$0.0012',
      '$0.50',
      '$12.35',
      '$1,234.50',
    ])
  })
})

describe('remora import', () => {
  it('prints a summary', async () => {
    const first = (await home.remora(['import', '--json'])).json()
    expect(first).toMatchObject({
      files: 3,
      changed: 3,
      archived: 0,
      damaged: [],
      text: { done: expect.any(Number) },
    })
    expect((await home.remora(['import'])).out).toBe(
      'No new events in 3 files.\n3 sessions in ~/.remora/ledger.db.\n',
    )
    using empty = new TestHome()
    expect((await empty.remora(['import', '--no-index'])).out).toMatch(
      /^Nothing to import: .*\n0 sessions in /,
    )
  })

  it('imports only the chosen agents', async () => {
    expect(
      (await home.remora(['import', '--agent', 'claude', '--agent', 'codex', '--json'])).json(),
    ).toMatchObject({ files: 2 })
  })

  it('can be interrupted without losing data', async () => {
    const stopped = AbortSignal.abort('SIGINT')
    expect(await home.remora(['import'], { stopped: () => stopped })).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringContaining('Stopped. To continue: remora import'),
    })
    expect((await home.remora(['import'])).code).toBe(0)
  })
})

describe('the transcript snapshot', () => {
  const fresh = async () => {
    const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
    const is = await isFresh(ledger, {
      env: { PATH: join(home.path, 'bin'), HOME: home.path },
      home: home.path,
    })
    await ledger.close()
    return is
  }
  const date = (files: readonly string[], at: Date) => {
    for (const file of files)
      for (let path = file; path.length > home.path.length; path = join(path, '..')) utimesSync(path, at, at)
  }
  /** Sets the times of files to a minute ago. */
  const age = (...files: string[]) => date(files, new Date(Date.now() - 60_000))

  it('detects whether transcripts changed', async () => {
    const files = [await home.add(hello), await home.add(edit), await home.add(shell)]
    age(...files)
    expect(await fresh()).toBe(false)
    await home.remora(['sessions'])
    expect(await fresh()).toBe(true)
    appendFileSync(files[0]!, '\n')
    expect(await fresh()).toBe(false)
    age(...files)
    await home.remora(['sessions'])
    expect(await fresh()).toBe(true)
    const another = await home.add({ ...hello, id: 'dddd1111-0000-4000-8000-000000000005' })
    expect(await fresh()).toBe(false)
    age(...files, another)
    await home.remora(['usage'])
    expect(await fresh()).toBe(true)
    rmSync(another)
    expect(await fresh()).toBe(false)
  })

  it('does not trust files that were just written', async () => {
    // In the future, so that the file counts as new however slow the test is.
    date([await home.add(hello)], new Date(Date.now() + 60_000))
    await home.remora(['sessions'])
    expect(await fresh()).toBe(false)
  })

  it('detects a new folder', async () => {
    const files = [await home.add(hello), await home.add(edit), await home.add(shell)]
    age(...files)
    await home.remora(['sessions'])
    expect(await fresh()).toBe(true)
    mkdirSync(join(home.path, '.local/share/opencode'), { recursive: true })
    expect(await fresh()).toBe(false)
  })
})

it.each([
  'usage',
  'usage --by model',
  'usage --by day,agent',
  'usage --by session',
  'usage --by project',
  'desires',
  'desires list',
  'desires stats',
  'desires turns',
  'desires recoveries',
  'desires struggling --min-fails 1',
  'desires sources',
  'agents',
])('prints remora %s in 60 columns', async (line) => {
  const { out } = await home.remora([...line.split(' '), '--color', 'never'], { terminal: true, columns: 60 })
  for (const each of out.split('\n')) expect(textWidth(each), each).toBeLessThanOrEqual(60)
})

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textWidth } from '../output/text-width.ts'
import { TestHome, hello } from './home.test-data.ts'
import type { toSessionJson } from './session-json.ts'

type SessionJson = ReturnType<typeof toSessionJson>

const edit = {
  agent: 'gemini',
  scenario: 'edit',
  id: 'aaaa1111-0000-4000-8000-000000000002',
  day: '2026-10-02',
} as const
const shell = {
  agent: 'codex',
  scenario: 'failing-shell',
  id: 'bbbb2222-0000-4000-8000-000000000003',
  day: '2026-10-03',
} as const
const open = { agent: 'opencode', scenario: 'edit', id: 'ses_0123456789abcdef' } as const

// Recorded times are printed in local time.
process.env['TZ'] = 'UTC'

let home: TestHome
beforeEach(() => void (home = new TestHome()))
afterEach(() => home[Symbol.dispose]())

const addAll = async () => {
  for (const each of [open, hello, edit, shell]) await home.add(each)
}
const list = async (...words: string[]) =>
  (await home.remora(['sessions', '--json', ...words])).json<SessionJson[]>()
const ids = async (...words: string[]) => (await list(...words)).map(({ id }) => id)

describe('remora sessions', () => {
  it('prints JSON with the same fields for every session', async () => {
    await addAll()
    const found = await list()
    expect(found.map(({ id }) => id)).toEqual([shell.id, edit.id, hello.id, open.id])
    for (const entry of found) {
      expect(Object.keys(entry)).toEqual(
        'id agent title firstPrompt model messages tokens startedAt updatedAt cwd archived name pinned hidden node'.split(
          ' ',
        ),
      )
      expect(entry).toMatchObject({
        cwd: '/home/user/work',
        archived: false,
        name: null,
        pinned: false,
        hidden: false,
        node: null,
      })
    }
    expect(found[1]).toMatchObject({
      agent: 'gemini',
      firstPrompt: 'Write plan.txt, then change it.',
      model: 'gemini-3.8-flash',
      messages: 4,
      tokens: { inputTokens: 474, outputTokens: 53, totalTokens: 527 },
      startedAt: '2026-10-02T00:00:00.000Z',
    })
    expect(found[3]).toMatchObject({ agent: 'opencode', title: 'A scripted conversation' })
  })

  it('filters by agent, folder and time', async () => {
    await addAll()
    expect(await ids('--agent', 'claude')).toEqual([hello.id])
    expect(await ids('--since', '2026-10-02')).toEqual([shell.id, edit.id])
    expect(await ids('--limit', '1')).toEqual([shell.id])
    expect(await ids('--cwd', '/home/user')).toHaveLength(4)
    expect(await ids('--cwd', '/home/use')).toEqual([])
  })

  it('prints a table with short unique ids', async () => {
    await addAll()
    const { out, err, code } = await home.remora(['sessions'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head).toMatch(/^ID +AGENT +TITLE +MODEL +MSGS +TOKENS +UPDATED +FOLDER$/)
    expect(rows).toHaveLength(4)
    for (const row of rows) {
      const [id] = row.split(' ')
      expect((await home.remora(['show', id!])).code, row).toBe(0)
    }
    expect(rows[1]).toMatch(
      /^aaaa1111-0000-4000-8000-000000000002 +gemini +Write plan\.txt, then change it\. +gemini-3\.8-flash +4 +527 /,
    )
  })

  it.each([60, 80, 120])('fits a terminal of %i columns', async (columns) => {
    await addAll()
    const { out } = await home.remora(['sessions', '--color', 'never'], { terminal: true, columns })
    // Two ids that differ only in the last character are too wide for the narrowest terminal.
    for (const line of out.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(Math.max(columns, 110))
    await home.remora(['forget', edit.id, '--yes'])
    const after = await home.remora(['sessions', '--color', 'never'], { terminal: true, columns })
    for (const line of after.out.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(columns)
  })

  it('prints a hint in an empty home', async () => {
    expect(await home.remora(['sessions'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/^No sessions yet\.\n {2}.*remora doctor\n$/),
    })
    expect(await list()).toEqual([])
  })

  it.each([
    ['sessions'],
    ['show', 'latest'],
    ['search', 'x'],
    ['usage'],
    ['asks'],
    ['audit'],
    ['desires'],
    ['suggest'],
    ['trace', 'latest'],
  ])('creates no state for %s in an empty home', async (...words) => {
    await home.remora(words)
    expect(existsSync(home.state)).toBe(false)
  })

  it('lists sessions between --since and --until', async () => {
    await addAll()
    expect(await ids('--until', '2026-10-02')).toEqual([edit.id, hello.id, open.id])
    expect(await ids('--since', '2026-10-02', '--until', '2026-10-02')).toEqual([edit.id])
  })

  it('reports a filter without matches', async () => {
    await home.add(hello)
    const { err, code } = await home.remora(['sessions', '--agent', 'kiro'])
    expect({ err, code }).toEqual({
      code: 0,
      err: 'No sessions match.\n  Remove a filter, or list all: remora sessions --all\n',
    })
  })

  it('detects new, changed and deleted sessions', async () => {
    const file = await home.add(hello)
    expect(await ids()).toEqual([hello.id])
    await home.add(edit)
    expect(await ids()).toEqual([edit.id, hello.id])
    rmSync(file)
    expect((await list()).map(({ id, archived }) => [id, archived])).toEqual([
      [edit.id, false],
      [hello.id, true],
    ])
    const { out } = await home.remora(['show', hello.id])
    expect(out).toContain('Say hello.')
    const table = await home.remora(['sessions', '--color=never'], { terminal: true, columns: 100 })
    expect(table.out).toMatch(/⌫ Say hello\./)
    expect(table.out).toContain('⌫ deleted by its agent, kept in the ledger')
  })

  it('skips only a damaged line', async () => {
    const file = await home.add(hello)
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"broken": \n`)
    const { out, err, code } = await home.remora(['import'])
    expect(code).toBe(0)
    expect(out).toContain('1 session in ~/.remora/ledger.db.')
    expect(err).toMatch(
      /^1 record could not be read; the rest was imported:\n {2}~\/\.claude\/.*\.jsonl at byte \d+: .+\n$/,
    )
    expect(await ids()).toEqual([hello.id])
  })
})

describe('a session argument', () => {
  it('matches an id prefix, a name, or latest', async () => {
    await addAll()
    const shown = async (word: string, ...more: string[]) =>
      (await home.remora(['show', word, '--markdown', ...more])).out.match(/Session: `(.*)`/)?.[1]
    expect(await shown('bbbb')).toBe(shell.id)
    expect(await shown('latest')).toBe(shell.id)
    expect(await shown('latest', '--agent', 'gemini')).toBe(edit.id)
    expect(await shown('aaaa', '--agent', 'claude')).toBe(hello.id)
    expect((await home.remora(['name', 'bbbb', 'The', 'bad', 'shell'])).out).toBe(
      `Named: The bad shell (codex ${shell.id})\n`,
    )
    expect(await shown('the bad shell')).toBe(shell.id)
  })

  it('prefers the latest session of this folder', async () => {
    await addAll()
    const here = join(home.path, 'here')
    home.write(join(here, 'x'), '')
    const file = await home.add({ ...hello, id: 'cccc3333-0000-4000-8000-000000000004', day: '2026-01-05' })
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/home/user/work', here))
    const { out } = await home.remora(['show', 'latest', '--json'], { cwd: here })
    expect(out).toContain('cccc3333')
  })

  it('prints the id of the latest session on a terminal', async () => {
    await home.add(edit)
    const { err } = await home.remora(['sessions', 'pin', 'latest'], { errorTerminal: true })
    expect(err).toBe(`latest: gemini ${edit.id}\n`)
    expect((await home.remora(['sessions', 'pin', 'latest'])).err).toBe('')
  })

  it('lists the matches if it is ambiguous', async () => {
    await addAll()
    const { code, err, out } = await home.remora(['show', 'aaaa'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    const lines = err.trimEnd().split('\n')
    expect(lines.slice(0, 2)).toEqual(['remora: "aaaa" matches 2 sessions', '  Use a longer id:'])
    expect(lines.slice(2).map((line) => line.trim().split(' ')[0])).toEqual([edit.id, hello.id])
  })

  it.each([
    [['show', 'nope'], 1, 'No session "nope"', 'List sessions: remora sessions'],
    [['show', 'latest', '--agent', 'kiro'], 1, 'No sessions for kiro yet', /^Start one: /],
    [['show', './nope.jsonl'], 1, /^File not found: .*nope\.jsonl$/, /^Check the path/],
    [['show', 'x', '--json', '--html'], 2, '--json and --html cannot be combined', 'Leave one of them out'],
    [['sessions', '--agent', 'gemni'], 2, 'Invalid value "gemni" for --agent', /^One of: gemini, claude/],
    [['sessions', '--since', 'soon'], 2, 'Invalid value "soon" for --since', /^Use an age/],
    [['sessions', '--limit', '0'], 2, 'Invalid value "0" for --limit', 'Use a number greater than 0'],
    [
      ['usage', '--by', 'day,week'],
      2,
      'Invalid value "week" for --by',
      'One or more of: day, agent, model, project, session',
    ],
    [['search'], 2, 'remora search needs <words>', 'See: remora search --help'],
    [['resume', 'nope'], 1, 'No session "nope"', 'List sessions: remora sessions'],
    [['resume', 'x', '--json'], 2, '--json needs --print', 'Run: remora resume <session> --print --json'],
    [['watch', 'nope'], 1, 'No session "nope"', 'List sessions: remora sessions'],
    [
      ['forget', 'latest'],
      2,
      'remora sessions forget needs a session id',
      'Show the latest: remora sessions --limit 1',
    ],
    [
      ['data', 'what'],
      2,
      'Unknown action "what" for remora data',
      'One of: path, size, backup, prune, archive, archives',
    ],
    [['data', 'size', 'x'], 2, 'Unexpected argument "x" for remora data size', 'See: remora data --help'],
    [['data', 'backup'], 2, 'remora data backup needs <file>', /^For example: remora data backup/],
    [['data', 'prune'], 2, 'remora data prune needs --before', /--dry-run$/],
    [['data', 'archive'], 2, 'remora data archive needs --before', /--dry-run$/],
    [['data', 'prune', '--to', 'x'], 2, 'remora data prune has no --to', 'See: remora data --help'],
  ])('%j prints a two-line error', async (words, code, what, hint) => {
    await home.add(hello)
    const result = await home.remora(words)
    const [first = '', second = '', ...rest] = result.err.split('\n')
    expect({ code: result.code, out: result.out, rest }).toEqual({ code, out: '', rest: [''] })
    expect(first.replace('remora: ', '')).toEqual(what instanceof RegExp ? expect.stringMatching(what) : what)
    expect(second.trim()).toEqual(hint instanceof RegExp ? expect.stringMatching(hint) : hint)
  })
})

describe('names, pins and hidden sessions', () => {
  it('are stored', async () => {
    await addAll()
    expect((await home.remora(['pin', 'ses_'])).out).toContain(
      'Pinned: A scripted conversation (opencode ses_',
    )
    expect(await ids()).toEqual([open.id, shell.id, edit.id, hello.id])
    expect((await home.remora(['hide', 'bbbb', '--json'])).json()).toMatchObject({
      id: shell.id,
      hidden: true,
    })
    expect(await ids()).not.toContain(shell.id)
    expect(await ids('--all')).toContain(shell.id)
    expect((await home.remora(['hide', 'bbbb', '--off'])).out).toMatch(/^Shown again: /)
    expect((await home.remora(['pin', 'ses_', '--off'])).out).toMatch(/^Unpinned: /)
    expect(await ids()).toEqual([shell.id, edit.id, hello.id, open.id])
    await home.remora(['name', 'bbbb', 'mine'])
    expect((await list())[0]).toMatchObject({ name: 'mine' })
    expect((await home.remora(['name', 'mine'])).out).toMatch(/^Name removed: Run the failing command\./)
    expect((await list())[0]).toMatchObject({ name: null })
  })

  it('forget asks for confirmation and keeps the agent’s file', async () => {
    const file = await home.add(hello)
    const typing = (line: string) => ({
      stdin: { terminal: true, read: async () => '', readLine: async () => line },
    })
    expect(await home.remora(['forget', 'aaaa'], typing('n'))).toMatchObject({ code: 1, out: '' })
    expect(await ids()).toEqual([hello.id])
    expect(await home.remora(['forget', 'aaaa'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^remora: Not a terminal, so Remora cannot ask for confirmation\n {2}.*--yes\n$/,
      ),
    })
    const asked = await home.remora(['forget', 'aaaa'], typing('y'))
    expect(asked).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Deleted: Say hello. (claude ${hello.id}`),
    })
    expect(asked.err).toContain('The agent’s own file is kept, but will not be imported again.')
    expect(existsSync(file)).toBe(true)
    expect(await ids('--all')).toEqual([])
    writeFileSync(file, readFileSync(file))
    expect((await home.remora(['import', '--json'])).code).toBe(0)
    expect(await ids('--all')).toEqual([])
  })
})

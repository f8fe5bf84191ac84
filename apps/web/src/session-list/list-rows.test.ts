import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { expect, it } from 'vitest'
import { type ListParts, type ListRow, type ListView, toListRows } from './list-rows.ts'
import { toSessionId } from '../sessions/merge-page.ts'

const entry = (session: string, fields: Partial<SessionInfo> = {}): SessionInfo => ({
  agent: 'claude',
  session,
  messages: 1,
  usage: {},
  startedAt: 0,
  updatedAt: 100,
  pinned: false,
  hidden: false,
  ...fields,
})
const live = (id: string, fields: Partial<LiveInfo> = {}): LiveInfo => ({
  id,
  agent: 'claude',
  session: id,
  channel: 'terminal',
  state: 'idle',
  cwd: '/code/a',
  startedAt: 0,
  since: 0,
  adopted: false,
  asks: 0,
  queued: 0,
  ...fields,
})
const parts = (entries: SessionInfo[], more: Partial<ListParts> = {}): ListParts => ({
  sessions: new Map(entries.map((each) => [toSessionId(each), each])),
  live: [],
  adoptable: [],
  hasMore: false,
  ...more,
})
const view: ListView = { agent: undefined, archived: true, hidden: false, shut: new Set(), whole: new Set() }
const told = (rows: readonly ListRow[]): string[] =>
  rows.map((row) => {
    if (row.kind === 'heading') return `# ${row.text}`
    if (row.kind === 'live') return `live ${row.live.id}`
    if (row.kind === 'project') return `> ${row.project.name} ${row.count}`
    if (row.kind === 'session') return row.entry.session
    if (row.kind === 'rest') return `+${row.count}`
    return row.kind
  })

it('lists live, pinned, then past sessions by project, latest first', () => {
  const rows = toListRows(
    parts(
      [
        entry('old', { cwd: '/code/a', updatedAt: 10 }),
        entry('new', { cwd: '/code/b', updatedAt: 30 }),
        entry('mid', { cwd: '/code/a/', updatedAt: 20 }),
        entry('pin', { cwd: '/code/a', pinned: true, updatedAt: 1 }),
        entry('going', { cwd: '/code/a', updatedAt: 40 }),
        entry('lost', { updatedAt: 5 }),
      ],
      { live: [live('l-1', { session: 'going' }), live('gone', { state: 'ended' })], hasMore: true },
    ),
    view,
  )
  expect(told(rows)).toEqual([
    '# live',
    'live l-1',
    '# pinned',
    'pin',
    '# history',
    '> b 1',
    'new',
    '> a 2',
    'mid',
    'old',
    '>  1',
    'lost',
    'more',
  ])
  expect(rows[1]).toMatchObject({ entry: { session: 'going' } })
})

it('puts sessions that wait for the user first', () => {
  const all = [
    live('idle', { since: 9 }),
    live('works', { state: 'working', since: 1 }),
    live('asks', { state: 'asking' }),
    live('works too', { state: 'working', since: 2 }),
    live('failed', { state: 'error' }),
  ]
  expect(told(toListRows(parts([], { live: all }), view)).slice(1)).toEqual(
    ['asks', 'failed', 'works too', 'works', 'idle'].map((id) => `live ${id}`),
  )
})

it("shows some, all or none of a project's sessions", () => {
  const many = Array.from({ length: 7 }, (_, index) =>
    entry(`s${index}`, { cwd: '/a', updatedAt: 50 - index }),
  )
  expect(told(toListRows(parts(many), view))).toEqual(['# history', '> a 7', 's0', 's1', 's2', 's3', '+3'])
  expect(told(toListRows(parts(many), { ...view, whole: new Set(['/a']) }))).toHaveLength(10)
  expect(told(toListRows(parts(many), { ...view, shut: new Set(['/a']) }))).toEqual(['# history', '> a 7'])
  // The fifth session is shown instead of a row that announces it.
  const five = toListRows(parts(many.slice(0, 5)), view)
  expect(told(five)).toHaveLength(7)
  expect(five.at(-1)).toMatchObject({ kind: 'session', isLast: true })
})

it('filters by agent and hidden state', () => {
  const all = parts(
    [
      entry('a', { agent: 'gemini' }),
      entry('b'),
      entry('c', { hidden: true }),
      entry('d', { archivedAt: 5 }),
      entry('e', { archivedAt: 5, pinned: true }),
    ],
    { live: [live('l', { agent: 'gemini' }), live('m')] },
  )
  const names = (change: Partial<ListView>): string[] =>
    told(toListRows(all, { ...view, ...change })).filter((row) => !/^[#>]/.test(row))
  expect(names({})).toEqual(['live l', 'live m', 'e', 'b', 'd', 'a'])
  expect(names({ agent: 'gemini' })).toEqual(['live l', 'a'])
  expect(names({ agent: 'codex' })).toEqual([])
  expect(names({ archived: false })).not.toContain('d')
  expect(names({ archived: false })).toContain('e')
  expect(names({ hidden: true })).toContain('c')
})

it('filters by machine; a session without one is on the connected machine', () => {
  const node = { id: 'n2', name: 'desktop' }
  const all = parts([entry('here', { node: 'n1' }), entry('there', { node: 'n2' })], {
    live: [live('l'), live('m', { node }), live('s', { node: { ...node, silent: true } })],
    here: 'n1',
  })
  const names = (change: Partial<ListView>): string[] =>
    told(toListRows(all, { ...view, ...change })).filter((row) => !/^[#>]/.test(row))
  expect(names({})).toEqual(['live l', 'live m', 'live s', 'here', 'there'])
  expect(names({ node: 'n1' })).toEqual(['live l', 'here'])
  expect(names({ node: 'n2' })).toEqual(['live m', 'live s', 'there'])
  expect(names({ node: 'n3' })).toEqual([])
  expect(names({ node: 'n2', agent: 'gemini' })).toEqual([])
})

it('groups worktree sessions with their repository if it is known', () => {
  const tree = entry('tree', { cwd: '/r/worktrees/app-abc123/fix' })
  const rows = (...others: SessionInfo[]): string[] => told(toListRows(parts([tree, ...others]), view))
  expect(rows(entry('main', { cwd: '/code/app' }))).toEqual(['# history', '> app 2', 'main', 'tree'])
  expect(rows()).toEqual(['# history', '> app 1', 'tree'])
  // Which of the two the worktree belongs to is unknown.
  const two = rows(entry('main', { cwd: '/code/app' }), entry('other', { cwd: '/other/app' }))
  expect(two.filter((row) => row === '> app 1')).toHaveLength(3)
})

import type { Ledger, SessionEntry } from '@remora/ledger'
import { type Filter, filterOptions, readFilter } from '../args/filter-options.ts'
import { headline, noSessionsHint } from '../args/find-session.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { type Colors, colors } from '../output/colors.ts'
import { plural, shortNumber } from '../output/format-number.ts'
import { ago } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'
import { oneLine } from '../output/one-line.ts'
import { shortIds } from '../output/short-ids.ts'
import { type Column, type Row, table } from '../output/table.ts'
import { writeAll } from '../output/write-all.ts'
import { toSessionJson } from './session-json.ts'

export const sessions: Verb = {
  name: 'sessions',
  description: 'List sessions of all agents, newest first',
  options: {
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    since: filterOptions.since,
    until: filterOptions.until,
    limit: { short: 'n', value: 'count', description: 'Maximum number (default: 20; all with --json)' },
    all: { description: 'Include hidden sessions' },
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora sessions',
    'remora sessions --cwd . --since 7d',
    'remora sessions --agent gemini --limit 50',
    "remora sessions --json | jq -r '.[] | select(.pinned) | .id'",
  ],
  run: listSessions,
}

const usual = 20

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'AGENT' },
  { title: 'TITLE', least: 12 },
  { title: 'MODEL', least: 10, from: 100 },
  { title: 'MSGS', align: 'right' },
  { title: 'TOKENS', align: 'right' },
  { title: 'UPDATED' },
  { title: 'FOLDER', least: 8, gives: 2, cut: 'start', from: 75 },
]

/** Lists sessions as a table or as JSON. */
async function listSessions(input: Input, io: Io): Promise<number> {
  const { limit, ...filter } = readFilter(input, io)
  const { json, all } = input.values
  return readLedger(io, async (ledger) => {
    const found = await ledger.sessions({ ...filter, hidden: all === true, empty: all === true })
    // Pinned sessions stay on top.
    const sorted = [...found.filter(({ pinned }) => pinned), ...found.filter(({ pinned }) => !pinned)]
    const entries = sorted.slice(0, limit ?? (json ? sorted.length : usual))
    if (json) return writeAll(io, [`${JSON.stringify(entries.map(toSessionJson), null, 2)}\n`])
    const paint = await colors(input, io)
    if (entries.length === 0) return printNone(ledger, filter, io)
    const known = await everyId(ledger, found, filter, all === true)
    const lines = table(columns, rows(entries, shortIds(known), paint, io), io.columns ?? 1000, paint)
    return writeAll(
      io,
      [...lines, ...footer(entries, found.length, paint, io)].map((line) => `${line}\n`),
    )
  })
}

function rows(
  entries: readonly SessionEntry[],
  shortId: (id: string) => string,
  paint: Colors,
  io: Io,
): Row[] {
  const now = Date.now()
  return entries.map((entry) => ({
    cells: [
      shortId(entry.session),
      entry.agent,
      // Piped lines are not cut to a width, but a whole prompt is too long.
      oneLine(`${formatMarks(entry)}${headline(entry)}`, 100),
      oneLine(entry.model ?? '-', 40),
      String(entry.messages),
      tokens(entry),
      ago(entry.updatedAt, now),
      entry.cwd === undefined ? '-' : homePath(entry.cwd, io.home),
    ],
    paint: entry.pinned ? paint.bold : entry.archivedAt !== undefined || entry.hidden ? paint.dim : undefined,
  }))
}

const marks = { pinned: '★', archived: '⌫', hidden: '◌' }

function formatMarks({ pinned, archivedAt, hidden }: SessionEntry): string {
  const set = [pinned && marks.pinned, archivedAt !== undefined && marks.archived, hidden && marks.hidden]
  return set.map((mark) => (mark ? `${mark} ` : '')).join('')
}

function tokens({ usage }: SessionEntry): string {
  const { totalTokens, inputTokens, outputTokens } = usage
  if (totalTokens === undefined && inputTokens === undefined && outputTokens === undefined) return '-'
  return shortNumber(totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0))
}

/** The legend and what is not shown. A pipe gets only the rows. */
function footer(entries: readonly SessionEntry[], found: number, paint: Colors, io: Io): string[] {
  if (!io.terminal) return []
  const legend = [
    ...(entries.some(({ pinned }) => pinned) ? [`${marks.pinned} pinned`] : []),
    ...(entries.some(({ archivedAt }) => archivedAt !== undefined)
      ? [`${marks.archived} deleted by its agent, kept in the ledger`]
      : []),
    ...(entries.some(({ hidden }) => hidden) ? [`${marks.hidden} hidden`] : []),
    ...(entries.length < found ? [`${entries.length} of ${found} sessions, more with --limit ${found}`] : []),
  ]
  return legend.length === 0 ? [] : ['', paint.dim(legend.join(' · '))]
}

async function everyId(
  ledger: Ledger,
  found: readonly SessionEntry[],
  filter: Filter,
  all: boolean,
): Promise<string[]> {
  const complete = all && Object.keys(filter).length === 0
  return (complete ? found : await ledger.sessions({ hidden: true, empty: true })).map(
    ({ session }) => session,
  )
}

async function printNone(ledger: Ledger, filter: Filter, io: Io): Promise<number> {
  const some = (await ledger.sessions({ hidden: true })).length
  if (some === 0) io.err(`No sessions yet.\n  ${noSessionsHint}\n`)
  else if (Object.keys(filter).length === 0)
    io.err(`All ${plural(some, 'session')} are hidden.\n  Show them: remora sessions --all\n`)
  else io.err('No sessions match.\n  Remove a filter, or list all: remora sessions --all\n')
  return 0
}

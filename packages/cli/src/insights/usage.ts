import type { Ledger, UsageEntry, UsageGroup } from '@remora/ledger'
import type { Usage } from '@remora/protocol/plain'
import { filterOptions, readFilter } from '../args/filter-options.ts'
import { headline, noSessionsHint } from '../args/find-session.ts'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { type Colors, colors } from '../output/colors.ts'
import { wholeNumber } from '../output/format-number.ts'
import { homePath } from '../output/home-path.ts'
import { oneLine } from '../output/one-line.ts'
import { shortIds } from '../output/short-ids.ts'
import { type Column, type Row, table } from '../output/table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { writeAll } from '../output/write-all.ts'
import { getProject } from './get-project.ts'
import { type Spending, type UsageReport, findPartialDay, createReport, sumTokens } from './usage-report.ts'

export const usage: Verb = {
  name: 'usage',
  description: 'Show token usage and cost by day, agent, model, project or session',
  options: {
    by: {
      value: 'group',
      description: 'day (default), agent, model, project, session; comma-separated',
    },
    since: filterOptions.since,
    until: filterOptions.until,
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora usage --since 7d',
    'remora usage --by model',
    'remora usage --by day,agent --since 2026-01-01 --until 2026-01-31',
    'remora usage --by session --cwd .',
    'remora usage --by project --json',
  ],
  run: showUsage,
}

// Listed here, because the ledger is loaded on demand. A test compares both.
export const groups: readonly UsageGroup[] = ['day', 'agent', 'model', 'project', 'session']

/** Prints usage and cost as a table or as JSON. */
async function showUsage(input: Input, io: Io): Promise<number> {
  const by = readGroups(input.values['by'])
  const { limit: _, ...filter } = readFilter(input, io)
  return readLedger(io, async (ledger) => {
    // Prices depend on the model, so usage is always grouped by model as well.
    const entries = await ledger.usage({
      ...filter,
      by: [...new Set<UsageGroup>([...by, 'agent', 'model'])],
      utcOffset: -new Date().getTimezoneOffset(),
    })
    const report = await createReport(entries.map(withProject), by)
    const partial = by.includes('day') ? findPartialDay(report, filter.since) : undefined
    if (input.values['json'])
      return writeAll(io, [
        `${JSON.stringify({ ...reportJson(report, by), partialDay: partial?.day ?? null }, null, 2)}\n`,
      ])
    const paint = await colors(input, io)
    if (report.rows.length === 0) return printNone(Object.keys(filter).length > 0, io)
    const lines = table(
      createColumns(by),
      await createRows(report, by, ledger, paint, io),
      io.columns ?? 1000,
      paint,
    )
    return writeAll(
      io,
      [...lines, ...footnotes(report, partial, paint, io.columns)].map((line) => `${line}\n`),
    )
  })
}

function readGroups(text: unknown): UsageGroup[] {
  if (typeof text !== 'string') return ['day']
  const words = text.split(',').map((word) => word.trim())
  const wrong = words.find((word) => !(groups as readonly string[]).includes(word))
  if (wrong !== undefined)
    throw new UsageError(`Invalid value "${wrong}" for --by`, `One or more of: ${groups.join(', ')}`)
  return [...new Set(words as UsageGroup[])]
}

const titles: Readonly<Record<UsageGroup, Column>> = {
  day: { title: 'DAY' },
  agent: { title: 'AGENT' },
  model: { title: 'MODEL', least: 12 },
  project: { title: 'PROJECT', least: 12, cut: 'start' },
  session: { title: 'SESSION', least: 16 },
}

function createColumns(by: readonly UsageGroup[]): Column[] {
  const number = (title: string, from = 0): Column => ({ title, align: 'right', from })
  // Columns that are part of another one are dropped first in narrow terminals.
  return [
    ...by.map((group) => titles[group]),
    number('INPUT'),
    number('OUTPUT'),
    number('CACHED', 70),
    number('THOUGHT', 90),
    number('TOTAL'),
    number('COST'),
  ]
}

async function createRows(
  { rows, total }: UsageReport,
  by: readonly UsageGroup[],
  ledger: Ledger,
  paint: Colors,
  io: Io,
): Promise<Row[]> {
  const names = by.includes('session') ? await sessionNames(ledger) : undefined
  const name = (entry: UsageEntry, group: UsageGroup): string => {
    const value = entry[group]
    if (value === undefined) return '(unknown)'
    if (group === 'project') return homePath(value, io.home)
    return group === 'session' ? (names?.(value) ?? value) : oneLine(value, 60)
  }
  const lines = rows.map((row) => ({ cells: [...by.map((group) => name(row, group)), ...numbers(row)] }))
  if (rows.length < 2) return lines
  return [...lines, { cells: ['Total', ...by.slice(1).map(() => ''), ...numbers(total)], paint: paint.bold }]
}

async function sessionNames(ledger: Ledger): Promise<(id: string) => string> {
  const entries = await ledger.sessions({ hidden: true })
  const short = shortIds(entries.map(({ session }) => session))
  const known = new Map(entries.map((entry) => [entry.session, entry]))
  return (id) => {
    const entry = known.get(id)
    return entry ? `${short(id)} ${oneLine(headline(entry), 40)}` : id
  }
}

function numbers({ usage, costUsd, unpriced }: Spending): string[] {
  const { inputTokens, outputTokens, cachedTokens, thoughtTokens } = usage
  return [
    ...[inputTokens, outputTokens, cachedTokens, thoughtTokens, sumTokens(usage)].map((value) =>
      value === undefined ? '-' : wholeNumber(value),
    ),
    costUsd === undefined ? '-' : `${dollars(costUsd)}${unpriced ? '*' : ''}`,
  ]
}

/** @example dollars(0.0012) // '$0.0012' */
export function dollars(cost: number): string {
  if (cost === 0) return '$0'
  if (cost < 0.1) return `$${cost.toFixed(4)}`
  const [whole = '', cents = ''] = cost.toFixed(2).split('.')
  return `$${wholeNumber(Number(whole))}.${cents}`
}

/** A session in a worktree counts for the repository of that worktree. */
function withProject(entry: UsageEntry): UsageEntry {
  return entry.project === undefined ? entry : { ...entry, project: getProject(entry.project) }
}

function footnotes(
  { unpriced, priced, pricesAsOf }: UsageReport,
  partial: { readonly day: string; readonly from: string } | undefined,
  paint: Colors,
  width: number | undefined,
): string[] {
  const notes = [
    ...(partial ? [`${partial.day} is incomplete: counted from ${partial.from} (--since).`] : []),
    ...(unpriced.length > 0
      ? [`* Unknown price, not in the cost: ${unpriced.map((model) => oneLine(model, 60)).join(', ')}.`]
      : []),
    ...(priced ? [`Cost: as reported by the agent, else list prices as of ${pricesAsOf}.`] : []),
  ]
  return notes.length === 0
    ? []
    : ['', ...notes.flatMap((note) => wrapWords(note, width)).map((line) => paint.dim(line))]
}

function printNone(filtered: boolean, io: Io): number {
  io.err(
    filtered
      ? 'No usage matches.\n  Remove a filter, or show all: remora usage\n'
      : `No usage yet.\n  ${noSessionsHint}\n`,
  )
  return 0
}

function reportJson({ rows, total, unpriced, pricesAsOf }: UsageReport, by: readonly UsageGroup[]) {
  const spending = ({ usage, costUsd, unpriced: partly }: Spending) => ({
    usage: usage satisfies Usage,
    costUsd: costUsd ?? null,
    costComplete: !partly,
  })
  return {
    by,
    rows: rows.map((row) => ({
      ...Object.fromEntries(by.map((group) => [group, row[group] ?? null])),
      ...spending(row),
    })),
    total: spending(total),
    unpriced,
    pricesAsOf,
  }
}

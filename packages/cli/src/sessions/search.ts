import type { IndexProgress, Ledger, SearchHit } from '@remora/ledger'
import { filterOptions, readFilter } from '../args/filter-options.ts'
import { headline } from '../args/find-session.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { countArchivedEvents } from '../ledger/archived-events.ts'
import { indexText } from '../ledger/index-text.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { type Colors, colors } from '../output/colors.ts'
import { plural, wholeNumber } from '../output/format-number.ts'
import { ago, withIsoTimes } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'
import { harmless, oneLine } from '../output/one-line.ts'
import { shortIds } from '../output/short-ids.ts'
import { writeAll } from '../output/write-all.ts'

export const search: Verb = {
  name: 'search',
  description: 'Search all sessions: messages, thinking, tool calls and results',
  positionals: [
    {
      name: 'words',
      required: true,
      many: true,
      description: 'All must match; "in quotes" is a phrase; the last word may be a prefix',
    },
  ],
  options: {
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    since: filterOptions.since,
    until: filterOptions.until,
    limit: { short: 'n', value: 'count', description: 'Maximum number of results (default: 20)' },
    json: { description: 'Print the results as a JSON object' },
  },
  examples: [
    'remora search flaky test',
    'remora search \'"connection refused"\' --since 30d',
    'remora search migration --agent claude --cwd .',
    "remora search TODO --json | jq -r '.hits[].session'",
  ],
  run: searchSessions,
}

const usual = 20
/** The ledger's search has no end time, so with --until this many results are read and filtered. */
const mostBeforeFilter = 1000
/** New messages should be found, but indexing must not delay the search for long. */
const buildMs = 2000

const kinds: Readonly<Record<SearchHit['kind'], string>> = {
  prompt: 'you',
  text: 'agent',
  thinking: 'thinking',
  tool_use: 'call',
  tool_result: 'output',
  note: 'note',
}

/** Searches all sessions, newest match first. */
async function searchSessions(input: Input, io: Io): Promise<number> {
  const { limit = usual, until, ...filter } = readFilter(input, io)
  return readLedger(io, async (ledger) => {
    const text = await indexText(ledger, io, AbortSignal.timeout(buildMs))
    const found = await ledger.search({
      text: input.positionals.map(phrase).join(' '),
      ...filter,
      limit: until === undefined ? limit : mostBeforeFilter,
    })
    const hits = found
      .filter(({ at }) => until === undefined || at <= until)
      .toSorted((left, right) => right.at - left.at)
      .slice(0, limit)
    if (input.values['json'])
      return writeAll(io, [
        `${JSON.stringify({ hits: hits.map((hit) => withIsoTimes(hit, 'at')), text }, null, 2)}\n`,
      ])
    const paint = await colors(input, io)
    if (hits.length === 0) io.err(`No results.\n  Try fewer words, or a prefix.\n`)
    printUnfinished(text, io)
    if (hits.length === 0) await printArchived(ledger, io)
    return writeAll(io, await printed(hits, ledger, paint, io))
  })
}

/** An argument with spaces is a phrase. */
function phrase(word: string): string {
  return /\s/.test(word.trim()) && !word.includes('"') ? `"${word}"` : word
}

/** Reports why results may be incomplete. */
function printUnfinished({ done, total }: IndexProgress, io: Io): void {
  if (done >= total) return
  const percent = Math.floor((done / total) * 100)
  io.err(
    `The search index is incomplete: searched ${wholeNumber(done)} of ${wholeNumber(total)} events (${percent} %).\n` +
      '  Search again to continue, or build it now: remora import\n',
  )
}

async function printArchived(ledger: Ledger, io: Io): Promise<void> {
  const archived = await countArchivedEvents(ledger)
  if (archived > 0)
    io.err(`Not searched: ${plural(archived, 'event')} in archives. List them: remora data archives\n`)
}

async function printed(hits: readonly SearchHit[], ledger: Ledger, paint: Colors, io: Io): Promise<string[]> {
  if (hits.length === 0) return []
  const entries = await ledger.sessions({ hidden: true })
  const shortId = shortIds(entries.map(({ session }) => session))
  const titles = new Map(entries.map((entry) => [`${entry.agent} ${entry.session}`, headline(entry)]))
  const now = Date.now()
  const pieces: string[] = []
  let last = ''
  for (const hit of hits) {
    const session = `${hit.agent} ${hit.session}`
    // Consecutive matches of one session share a heading.
    if (session !== last) {
      const folder = hit.cwd === undefined ? '' : homePath(hit.cwd, io.home)
      const about = [hit.agent, folder].filter(Boolean).join(' · ')
      const title = paint.bold(oneLine(titles.get(session) ?? hit.title ?? '', 60))
      pieces.push(
        `${last === '' ? '' : '\n'}${paint.cyan(shortId(hit.session))}  ${title}  ${paint.dim(about)}\n`,
      )
      last = session
    }
    pieces.push(`  ${paint.dim(`${ago(hit.at, now)}, ${kinds[hit.kind]}:`)} ${highlighted(hit, paint)}\n`)
  }
  return pieces
}

/** Highlights the matches of a snippet. The positions are those of the original snippet. */
export function highlighted(
  { snippet, matches }: Pick<SearchHit, 'snippet' | 'matches'>,
  paint: Colors,
): string {
  let line = ''
  let reached = 0
  for (const [start, end] of matches) {
    if (start < reached) continue
    line += flat(snippet.slice(reached, start)) + paint.bold(paint.yellow(flat(snippet.slice(start, end))))
    reached = end
  }
  return (line + flat(snippet.slice(reached))).trim()
}

function flat(text: string): string {
  return harmless(text).replaceAll(/\s+/g, ' ')
}

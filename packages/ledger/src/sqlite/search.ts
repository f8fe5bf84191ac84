import type { SearchHit, SearchQuery } from '../model/ledger.ts'
import { Hits, type Match } from '../rows/hits.ts'
import { type Phrase, parsePhrases } from '../text/phrases.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { readDocument } from './index-text.ts'

/** Up to this many sessions are named in the query. If more match, results are plentiful and filtered afterwards. */
const maxNamedSessions = 200

/**
 * Finds the latest matches first. There is no ranking, since that would read every match. A prefix would too, so the
 * last word is tried as a whole word first.
 */
export function search(connection: Connection, query: SearchQuery): SearchHit[] {
  const phrases = parsePhrases(query.text)
  const limit = query.limit ?? 20
  if (phrases.length === 0 || limit < 1) return []
  return connection.read(() => {
    const scope = findScope(connection, query)
    if (scope === undefined) return []
    const whole = phrases.map((phrase) => ({ ...phrase, prefix: false }))
    const hits = collect(connection, query, scope, whole, limit)
    const open = phrases.some(({ prefix }) => prefix)
    return hits.length < limit && open ? collect(connection, query, scope, phrases, limit) : hits
  })
}

function collect(
  connection: Connection,
  query: SearchQuery,
  scope: readonly number[],
  phrases: readonly Phrase[],
  limit: number,
): SearchHit[] {
  const hits = new Hits(phrases, limit)
  for (const match of findMatches(connection, buildExpression(phrases, scope), query, limit + 10))
    if (hits.add(match, readDocument(connection, match.seq))) break
  return hits.found
}

/** The FTS5 query. Everything is quoted, so no input is a syntax error. */
function buildExpression(phrases: readonly Phrase[], scope: readonly number[]): string {
  const words = phrases.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? ' *' : ''}`)
  const text = `text : (${words.join(' AND ')})`
  return scope.length === 0 ? text : `${text} AND session : (${scope.map((id) => `s${id}`).join(' OR ')})`
}

function buildConditions(query: SearchQuery, sessions: string): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, `${sessions}agent = ?`)
  conditions.addFolder(query.cwd, `${sessions}cwd`)
  conditions.addIf(query.since, `${sessions}updated_at >= ?`)
  if (!query.hidden) conditions.add(`${sessions}hidden = 0`)
  return conditions
}

/** The sessions to search in, if there are few; empty for all, undefined for none. */
function findScope(connection: Connection, query: SearchQuery): number[] | undefined {
  if (query.agent === undefined && query.cwd === undefined && query.since === undefined) return []
  const conditions = buildConditions(query, '')
  const rows = connection.all<{ id: number }>(
    `SELECT id FROM sessions ${conditions.where} LIMIT ${maxNamedSessions + 1}`,
    ...conditions.parameters,
  )
  if (rows.length === 0) return undefined
  return rows.length > maxNamedSessions ? [] : rows.map(({ id }) => id)
}

function* findMatches(
  connection: Connection,
  expression: string,
  query: SearchQuery,
  size: number,
): Generator<Match> {
  const conditions = buildConditions(query, 's.')
  conditions.addIf(query.since, 'e.at >= ?')
  const sql = `SELECT e.seq, e.entity, e.at, s.agent, s.session, s.name, s.title, s.cwd
    FROM search CROSS JOIN events e ON e.seq = search.rowid CROSS JOIN sessions s ON s.id = e.session_id
    WHERE search MATCH ? AND search.rowid < ? ${conditions.and} ORDER BY search.rowid DESC LIMIT ?`
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = connection.all<Match>(sql, expression, before, ...conditions.parameters, size)
    yield* rows
    if (rows.length < size) return
    before = rows.at(-1)!.seq
  }
}

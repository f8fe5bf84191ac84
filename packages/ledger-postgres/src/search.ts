import type { SearchHit, SearchQuery } from '@remora/ledger'
import {
  type Document,
  type Match,
  type Phrase,
  type TextRow,
  Hits,
  documentKinds,
  parsePhrases,
  readRowText,
} from '@remora/ledger/internal'
import { Conditions } from './conditions.ts'
import type { Connection, Queries } from './connection.ts'
import { hashKey } from './hash.ts'
import { joinPieces, readRawTexts } from './pieces.ts'
import { toTsQueries } from './text-vectors.ts'

/** The number of matches that are read at a time, including their texts. */
const pageSize = 50

/**
 * Finds the latest matches first. There is no ranking, since that would read every match. A prefix would too, so the
 * last word is tried as a whole word first.
 */
export async function search(connection: Connection, query: SearchQuery): Promise<SearchHit[]> {
  const phrases = parsePhrases(query.text)
  const limit = query.limit ?? 20
  if (phrases.length === 0 || limit < 1) return []
  return connection.read(async (queries) => {
    const whole = phrases.map((phrase) => ({ ...phrase, prefix: false }))
    const hits = await collect(queries, query, whole, limit)
    const open = phrases.some(({ prefix }) => prefix)
    return hits.length < limit && open ? collect(queries, query, phrases, limit) : hits
  })
}

async function collect(
  queries: Queries,
  query: SearchQuery,
  phrases: readonly Phrase[],
  limit: number,
): Promise<SearchHit[]> {
  const wanted = toTsQueries(phrases)
  const hits = new Hits(phrases, limit)
  if (wanted === undefined) return hits.found
  for await (const page of findMatches(queries, wanted, query, Math.min(limit + 10, pageSize))) {
    const documents = await readDocuments(queries, page)
    for (const match of page) {
      const document = documents.get(match.seq)
      if (document && hits.add({ ...match, entity: document.entity }, document)) return hits.found
    }
  }
  return hits.found
}

type Found = Omit<Match, 'entity'>

/** Yields pages of documents that match all phrases. */
async function* findMatches(
  queries: Queries,
  wanted: readonly string[],
  query: SearchQuery,
  size: number,
): AsyncGenerator<Found[], void, undefined> {
  const scattered = wanted.length === 1 ? [] : await findScattered(queries, wanted)
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const conditions = new Conditions()
    const fits = `w.words @@ ${conditions.place(wanted.join(' & '))}::tsquery`
    const apart = scattered.length === 0 ? '' : ` OR w.seq = ANY(${conditions.place(scattered)}::bigint[])`
    conditions.add('w.seq < ?', before)
    conditions.addIf(query.agent, 's.agent = ?')
    conditions.addFolder(query.cwd, 's.cwd')
    conditions.addIf(query.since, '(w.at >= ? AND s.updated_at >= ?)')
    if (!query.hidden) conditions.add('NOT s.hidden')
    const rows = await queries.all<Found>(
      `SELECT w.seq, w.at, s.agent, s.session, s.name, s.title, s.cwd
       FROM words w JOIN sessions s ON s.id = w.session_id
       WHERE (${fits}${apart}) ${conditions.and} ORDER BY w.seq DESC LIMIT ${size}`,
      ...conditions.parameters,
    )
    // Several parts of one document are one match.
    yield rows.filter(({ seq }, index) => index === 0 || seq !== rows[index - 1]!.seq)
    if (rows.length < size) return
    before = rows.at(-1)!.seq
  }
}

/** Documents that match only across their parts. Few documents are long enough to have parts. */
async function findScattered(queries: Queries, wanted: readonly string[]): Promise<number[]> {
  const one = wanted.map(
    (_, index) => `SELECT seq FROM words WHERE parted AND words @@ $${index + 1}::tsquery`,
  )
  const rows = await queries.all<{ seq: number }>(one.join(' INTERSECT '), ...wanted)
  return rows.map(({ seq }) => seq)
}

type Read = Document & { readonly entity: string }

/** Reads the matching texts, by event number. */
async function readDocuments(queries: Queries, found: readonly Found[]): Promise<Map<number, Read>> {
  const rows = await queries.all<TextRow>(
    `SELECT seq, session_id, type, entity, record, body, CASE WHEN left(body, 1) = '[' THEN raw END AS raw
     FROM events WHERE seq = ANY($1::bigint[])`,
    found.map(({ seq }) => seq),
  )
  const getRaw = await readRawTexts(queries, rows)
  const read = new Map<number, Read>()
  const parts: { row: TextRow; document: Document }[] = []
  for (const row of rows) {
    const document = readRowText(row, getRaw)
    if (document?.whole === true) read.set(row.seq, { ...document, entity: row.entity })
    else if (document) parts.push({ row, document })
  }
  const firsts = await findFirstPieces(queries, parts)
  const pieces = parts.map(({ row }, index) => ({ ...row, first: firsts[index]!, last: row.seq }))
  const texts = await joinPieces(queries, pieces)
  for (const [index, { row, document }] of parts.entries())
    read.set(row.seq, { kind: document.kind, text: texts[index]!, entity: row.entity })
  return read
}

async function findFirstPieces(
  queries: Queries,
  parts: readonly { readonly row: TextRow; readonly document: Document }[],
): Promise<number[]> {
  if (parts.length === 0) return []
  const rows = await queries.all<{ position: number; first: number }>(
    `SELECT w.position, d.first
     FROM unnest($1::bigint[], $2::smallint[], $3::uuid[]) WITH ORDINALITY w (session_id, kind, entity, position)
     JOIN documents d ON d.session_id = w.session_id AND d.kind = w.kind AND d.entity = w.entity`,
    parts.map(({ row }) => row.session_id),
    parts.map(({ document }) => documentKinds.indexOf(document.kind)),
    parts.map(({ row }) => hashKey(row.entity)),
  )
  const byPosition = new Map(rows.map(({ position, first }) => [position, first]))
  return parts.map(({ row }, index) => byPosition.get(index + 1) ?? row.seq)
}

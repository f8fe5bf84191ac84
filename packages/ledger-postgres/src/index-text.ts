import type { IndexOptions, IndexProgress } from '@remora/ledger'
import { type TextChange, documentKinds, collectTextChanges, textTypes } from '@remora/ledger/internal'
import type { Connection, Queries } from './connection.ts'
import { hashKey } from './hash.ts'
import { joinPieces, readRawTexts } from './pieces.ts'
import {
  type StepRow,
  waitForOthers,
  saveProgress,
  readProgress,
  readStep,
  tryLockProgress,
} from './derived-steps.ts'
import { toVectors } from './text-vectors.ts'

/** Continues the full-text index in steps. Many machines may do it at the same time. */
export async function indexText(connection: Connection, options: IndexOptions): Promise<IndexProgress> {
  for (;;) {
    const progress = await readProgress(connection, 'indexed')
    if (progress.done >= progress.total || options.signal?.aborted) return progress
    const done = await connection.write(step, { notify: false })
    if (done === undefined) await waitForOthers()
    else options.onProgress?.({ done, total: Math.max(done, progress.total) })
  }
}

/** Returns the number it reaches; undefined if another process makes the step. */
async function step(queries: Queries): Promise<number | undefined> {
  const after = await tryLockProgress(queries, 'indexed')
  if (after === undefined) return undefined
  const { rows, reached } = await readStep(queries, { types: textTypes, after })
  await store(queries, collectTextChanges(rows, await readRawTexts(queries, rows)))
  await saveProgress(queries, 'indexed', reached)
  return reached
}

type Change = TextChange<StepRow>

interface Known {
  readonly first: number
  readonly seq: number
  readonly digest: string
}

/** The changed text of one entity. */
interface Writing {
  readonly change: Change
  readonly known: Known | undefined
  readonly text: string
  readonly digest: string
}

async function store(queries: Queries, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  const known = await findKnownDocuments(queries, changes)
  const texts = await readTexts(queries, changes, known)
  const writings = changes.flatMap((change, index): Writing[] => {
    const text = texts[index]!
    const digest = hashKey(text)
    // Agents repeat texts; the older row stays.
    return known[index]?.digest === digest ? [] : [{ change, known: known[index], text, digest }]
  })
  await writeDocuments(queries, writings)
  await writeWords(queries, writings)
}

/** The documents that these entities have already, in the same order. */
async function findKnownDocuments(
  queries: Queries,
  changes: readonly Change[],
): Promise<readonly (Known | undefined)[]> {
  const rows = await queries.all<Known & { position: number }>(
    `SELECT w.position, d.first, d.seq, d.digest
     FROM unnest($1::bigint[], $2::smallint[], $3::uuid[]) WITH ORDINALITY w (session_id, kind, entity, position)
     JOIN documents d ON d.session_id = w.session_id AND d.kind = w.kind AND d.entity = w.entity`,
    ...toKeyColumns(changes),
  )
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  return changes.map((_, index) => byPosition.get(index + 1))
}

function toKeyColumns(changes: readonly Change[]): [number[], number[], string[]] {
  return [
    changes.map(({ row }) => row.session_id),
    changes.map(({ kind }) => documentKinds.indexOf(kind)),
    changes.map(({ row }) => hashKey(row.entity)),
  ]
}

async function readTexts(
  queries: Queries,
  changes: readonly Change[],
  known: readonly (Known | undefined)[],
): Promise<string[]> {
  const pieces = changes.flatMap(({ row, text, first }, index) => {
    const { session_id, type, entity, seq: last } = row
    return text === undefined ? [{ session_id, type, entity, first: known[index]?.first ?? first, last }] : []
  })
  const joined = (await joinPieces(queries, pieces)).values()
  return changes.map(({ text }) => text ?? joined.next().value!)
}

async function writeDocuments(queries: Queries, writings: readonly Writing[]): Promise<void> {
  if (writings.length === 0) return
  const changes = writings.map(({ change }) => change)
  await queries.run(
    `INSERT INTO documents (session_id, kind, entity, first, seq, digest)
     SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::bigint[], $5::bigint[], $6::uuid[])
     ON CONFLICT (session_id, kind, entity) DO UPDATE SET seq = excluded.seq, digest = excluded.digest`,
    ...toKeyColumns(changes),
    changes.map(({ first }) => first),
    changes.map(({ row }) => row.seq),
    writings.map(({ digest }) => digest),
  )
}

async function writeWords(queries: Queries, writings: readonly Writing[]): Promise<void> {
  const old = writings.flatMap(({ known }) => (known ? [known.seq] : []))
  if (old.length > 0) await queries.run('DELETE FROM words WHERE seq = ANY($1::bigint[])', old)
  const rows = writings.flatMap(({ change: { row }, text }) => {
    const vectors = toVectors(text)
    const parted = vectors.length > 1
    return vectors.map((words, part) => [row.seq, part, parted, row.session_id, row.at, words] as const)
  })
  if (rows.length === 0) return
  await queries.run(
    `INSERT INTO words (seq, part, parted, session_id, at, words)
     SELECT seq, part, parted, session_id, at, words::tsvector
     FROM unnest($1::bigint[], $2::integer[], $3::boolean[], $4::bigint[], $5::double precision[], $6::text[])
       t (seq, part, parted, session_id, at, words)`,
    ...rows[0]!.map((_, column) => rows.map((row) => row[column])),
  )
}

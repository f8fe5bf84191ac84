import type { EventOf } from '@remora/protocol/plain'
import { type Told, type ToldRow, decodeBody, tellCall, toldTypes } from '@remora/ledger/engine'
import { openCallBook } from './call-book.ts'
import type { Connection, Queries } from './connection.ts'
import { readRaws } from './read.ts'
import { type StepRow, afterOthers, holdMark, moveMark, readProgress, takeStep, tryMark } from './steps.ts'

/** Brings the calls up to date with the events, in steps. Many nodes may do it at once. */
export async function gatherCalls(connection: Connection): Promise<void> {
  for (;;) {
    const { done, total } = await readProgress(connection, 'called')
    if (done >= total) return
    if (!(await connection.write(step, { notify: false }))) await afterOthers()
  }
}

/** False where another node makes the step. */
async function step(queries: Queries): Promise<boolean> {
  const after = await tryMark(queries, 'called')
  if (after === undefined) return false
  const { rows, reached } = await takeStep(queries, { types: toldTypes, after })
  await takeIn(queries, rows)
  await moveMark(queries, 'called', reached)
  return true
}

async function takeIn(queries: Queries, rows: readonly StepRow[]): Promise<void> {
  if (rows.length === 0) return
  const rawOf = await readRaws(queries, rows)
  const told = rows.map((row): [ToldRow, EventOf<Told>] => [
    row,
    { type: row.type, ...decodeBody(row, rawOf) } as EventOf<Told>,
  ])
  const book = await openCallBook(queries, told)
  for (const [row, event] of told) tellCall(book, row, event)
  await book.save(queries)
}

/**
 * Takes the calls of a session away, inside a transaction. Those that a fork of it holds count for the fork from then
 * on. Who gathers waits until it is done.
 */
export async function removeCalls(queries: Queries, session: number): Promise<void> {
  const until = await holdMark(queries, 'called')
  const forks = await queries.all<{ id: number }>(
    `SELECT DISTINCT f.session_id AS id FROM call_names n
     JOIN call_names f ON f.entity = n.entity AND f.channel = 0 AND f.call_id IS NULL
     WHERE n.session_id = $1 AND n.channel = 0 AND n.call_id IS NOT NULL AND f.session_id <> n.session_id
       -- Of what lies in an archive none could be made anew.
       AND NOT EXISTS (SELECT 1 FROM archived_sessions a WHERE a.session_id = f.session_id)`,
    session,
  )
  const ids = [session, ...forks.map(({ id }) => id)]
  for (const table of ['calls', 'call_names', 'prompts'])
    await queries.run(`DELETE FROM ${table} WHERE session_id = ANY($1::bigint[])`, ids)
  for (const { id } of forks)
    for (let after = 0; after < until;) {
      const { rows, reached } = await takeStep(queries, { types: toldTypes, after, session: id, until })
      await takeIn(queries, rows)
      after = reached
    }
}

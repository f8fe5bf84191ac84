import type { EventOf } from '@remora/protocol/plain'
import {
  type CallEventType,
  type CallEventRow,
  decodeBody,
  recordCall,
  callEventTypes,
} from '@remora/ledger/internal'
import { openCallIndex } from './call-index.ts'
import type { Connection, Queries } from './connection.ts'
import { readRaws } from './read.ts'
import {
  type StepRow,
  waitForOthers,
  lockProgress,
  saveProgress,
  readProgress,
  readStep,
  tryLockProgress,
} from './derived-steps.ts'

/** Derives calls from new events, in steps. Many machines may do it at the same time. */
export async function updateCalls(connection: Connection): Promise<void> {
  for (;;) {
    const { done, total } = await readProgress(connection, 'called')
    if (done >= total) return
    if (!(await connection.write(step, { notify: false }))) await waitForOthers()
  }
}

/** Returns false if another process makes the step. */
async function step(queries: Queries): Promise<boolean> {
  const after = await tryLockProgress(queries, 'called')
  if (after === undefined) return false
  const { rows, reached } = await readStep(queries, { types: callEventTypes, after })
  await recordCalls(queries, rows)
  await saveProgress(queries, 'called', reached)
  return true
}

async function recordCalls(queries: Queries, rows: readonly StepRow[]): Promise<void> {
  if (rows.length === 0) return
  const getRaw = await readRaws(queries, rows)
  const events = rows.map((row): [CallEventRow, EventOf<CallEventType>] => [
    row,
    { type: row.type, ...decodeBody(row, getRaw) } as EventOf<CallEventType>,
  ])
  const index = await openCallIndex(queries, events)
  for (const [row, event] of events) recordCall(index, row, event)
  await index.save(queries)
}

/**
 * Removes the calls of a session inside a transaction. Calls that a fork shares count for the fork from then on. Other
 * processes wait to derive calls until it is done.
 */
export async function removeCalls(queries: Queries, session: number): Promise<void> {
  const until = await lockProgress(queries, 'called')
  const forks = await queries.all<{ id: number }>(
    `SELECT DISTINCT f.session_id AS id FROM call_names n
     JOIN call_names f ON f.entity = n.entity AND f.channel = 0 AND f.call_id IS NULL
     WHERE n.session_id = $1 AND n.channel = 0 AND n.call_id IS NOT NULL AND f.session_id <> n.session_id
       -- Calls of archived events could not be derived again.
       AND NOT EXISTS (SELECT 1 FROM archived_sessions a WHERE a.session_id = f.session_id)`,
    session,
  )
  const ids = [session, ...forks.map(({ id }) => id)]
  for (const table of ['calls', 'call_names', 'prompts'])
    await queries.run(`DELETE FROM ${table} WHERE session_id = ANY($1::bigint[])`, ids)
  for (const { id } of forks)
    for (let after = 0; after < until;) {
      const { rows, reached } = await readStep(queries, { types: callEventTypes, after, session: id, until })
      await recordCalls(queries, rows)
      after = reached
    }
}

import type { DatabaseRows } from '../../contract/agent.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import { parse } from './rows.ts'

/** The owner of a session's work. */
export interface Work {
  /** The session that the user started. */
  readonly root: string
  /** The call that the work belonged to at a time. A later call may continue the same session. */
  callAt(time: number): string | undefined
}

/**
 * Finds the owner of a session. A session with a parent is a sub-agent's; the call that started it contains its id.
 *
 * @example findWork(database, session).root
 */
export function findWork(
  database: DatabaseRows,
  { id, parent }: { readonly id: string; readonly parent: string | undefined },
): Work {
  if (parent === undefined) return { root: id, callAt: () => undefined }
  const calls = findCalls(database, parent, id)
  return {
    root: findRoot(database, parent),
    // If the call is unknown, the session's own id groups the work.
    callAt: (time) => (calls.findLast(({ at }) => at <= time) ?? calls[0])?.call ?? id,
  }
}

function findRoot(database: DatabaseRows, session: string): string {
  const seen = new Set<string>()
  let root = session
  while (!seen.has(root)) {
    seen.add(root)
    const [row] = database.rows('SELECT parent_id FROM session WHERE id = ?', root)
    root = asString(row?.['parent_id']) ?? root
  }
  return root
}

function findCalls(database: DatabaseRows, parent: string, child: string): { call: string; at: number }[] {
  const sql = `SELECT time_created, data FROM part
    WHERE session_id = ? AND instr(data, ?) > 0 ORDER BY time_created, id`
  return Array.from(database.rows(sql, parent, JSON.stringify(child))).flatMap((row) => {
    const part = asRecord(parse(row['data']))
    const metadata = asRecord(asRecord(part?.['state'])?.['metadata'])
    const call = asString(part?.['callID'])
    if (call === undefined || metadata?.['sessionId'] !== child) return []
    return [{ call, at: asCount(row['time_created']) ?? 0 }]
  })
}

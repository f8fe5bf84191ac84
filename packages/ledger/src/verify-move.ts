import { createHash } from 'node:crypto'
import { canonical } from '@remora/protocol/plain'
import type { Ledger, MovePart, MoveRows, SessionKey } from './model/ledger.ts'
import { toTargetMarks, readMoveCursor, readPages } from './move.ts'
import {
  type SessionDigest,
  readAllEvents,
  toSessionId,
  digestSessions,
  describeDifference,
} from './digest-sessions.ts'

/** The result of `verifyMove`. */
export interface MoveVerdict {
  /** The number of sessions and events that were compared. */
  readonly sessions: number
  readonly events: number
  /** Empty if the target matches. */
  readonly differences: readonly MoveDifference[]
}

/** A row that the target lacks or holds differently. */
export interface MoveDifference extends Partial<SessionKey> {
  readonly part: 'events' | MovePart
  readonly why: string
}

/**
 * Compares a target with its source, as far as it was moved: the events of every session by count and digest, the audit
 * log entry by entry, and all other parts row by row. Additional rows in the target are ignored.
 *
 * @example const { differences } = await verifyMove(source, target)
 */
export async function verifyMove(
  from: Ledger,
  to: Ledger,
  { signal, withoutAudit }: { readonly signal?: AbortSignal; readonly withoutAudit?: boolean } = {},
): Promise<MoveVerdict> {
  const differences: MoveDifference[] = []
  const { seq } = await readMoveCursor(from, to)
  const source = await digestSessions(readAllEvents(from, seq, signal))
  const target = await digestSessions(readAllEvents(to, Infinity, signal))
  for (const [id, digest] of source) {
    const why = describeDifference(digest, target.get(id))
    const { agent, session } = digest
    if (why !== undefined) differences.push({ part: 'events', agent, session, why })
  }
  for (const part of ['sessions', 'forgotten', 'asks', 'commands', 'audit', 'marks'] as const)
    if (part !== 'audit' || !withoutAudit)
      differences.push(...(await findMissingRows(from, to, part, source)))
  if (!withoutAudit) {
    const { broken } = await to.audit.verify()
    if (broken) differences.push({ part: 'audit', why: `entry ${broken.number}: ${broken.why}` })
  }
  const events = [...source.values()].reduce((sum, { count }) => sum + count, 0)
  return { sessions: source.size, events, differences }
}

/** Rows of the source that the target lacks. */
async function findMissingRows<P extends MovePart>(
  from: Ledger,
  to: Ledger,
  part: P,
  moved: ReadonlyMap<string, SessionDigest>,
): Promise<MoveDifference[]> {
  const there = new Set<string>()
  for await (const rows of readPages(to, part)) for (const row of rows) there.add(digestRow(part, row, to))
  const differences: MoveDifference[] = []
  for await (const rows of readPages(from, part)) {
    const expected = part === 'marks' ? toTargetMarks(from, to, rows as readonly MoveRows['marks'][]) : rows
    for (const row of expected as readonly MoveRows[P][]) {
      // A session that was created after the events were moved follows with the next run.
      if (part === 'sessions' && !moved.has(toSessionId(row as SessionKey))) continue
      if (!there.has(digestRow(part, row, to)))
        differences.push({ part, ...getSessionKey(row), why: 'it differs or is missing' })
    }
  }
  return differences
}

/** Leaves out what may differ: a session without a machine belongs to the machine that it was moved to. */
function digestRow<P extends MovePart>(part: P, row: MoveRows[P], to: Ledger): string {
  const whole = part === 'sessions' ? { node: to.node, ...row } : row
  const text = part === 'forgotten' ? toSessionId(row as SessionKey) : canonical(whole)
  return createHash('sha256').update(text).digest('base64')
}

function getSessionKey(row: object): Partial<SessionKey> {
  const { agent, session } = ('target' in row ? row.target : row) as Partial<SessionKey>
  return typeof agent === 'string' && typeof session === 'string' ? { agent, session } : {}
}

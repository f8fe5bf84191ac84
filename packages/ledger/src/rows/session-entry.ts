import type { SessionEntry } from '../model/ledger.ts'
import { getMessageCount } from './summary.ts'
import { type UsageColumns, toUsage } from './usage.ts'

/** A session row of either engine, with its token sums. SQLite has no booleans. */
export interface SessionRow extends UsageColumns {
  readonly id: number
  readonly agent: string
  readonly session: string
  readonly title: string | null
  readonly first_prompt: string | null
  readonly model: string | null
  readonly cwd: string | null
  readonly version: string | null
  readonly node: string | null
  readonly message_counts: string
  readonly started_at: number
  readonly updated_at: number
  readonly archived_at: number | null
  readonly name: string | null
  readonly pinned: boolean | number
  readonly hidden: boolean | number
}

export function toSessionEntry(row: SessionRow): SessionEntry {
  return {
    agent: row.agent,
    session: row.session,
    ...(row.node === null ? {} : { node: row.node }),
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.first_prompt === null ? {} : { firstPrompt: row.first_prompt }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.cwd === null ? {} : { cwd: row.cwd }),
    ...(row.version === null ? {} : { version: row.version }),
    messages: getMessageCount(JSON.parse(row.message_counts) as number[]),
    usage: toUsage(row),
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    ...(row.archived_at === null ? {} : { archivedAt: row.archived_at }),
    ...(row.name === null ? {} : { name: row.name }),
    pinned: Boolean(row.pinned),
    hidden: Boolean(row.hidden),
  }
}

import { channels, limitDepth, parseJson } from '@remora/protocol/plain'
import type { CallEntry } from '../model/ledger.ts'

/** A call as a database returns it. */
export interface CallRow {
  readonly id: number
  readonly agent: string
  readonly session: string
  readonly entity: string
  readonly channel: number
  readonly tool: string
  readonly native: string
  readonly input: string
  readonly cwd: string | null
  readonly at: number
  readonly ended_at: number | null
  readonly status: string
  readonly failed: number | boolean
  readonly error: string | null
  readonly turn: number
  readonly parent: string | null
  readonly record: string | null
}

export function toCallEntry(row: CallRow): CallEntry {
  return {
    id: row.id,
    agent: row.agent,
    session: row.session,
    entity: row.entity,
    channel: channels[row.channel]!,
    tool: row.tool,
    native: row.native,
    input: limitDepth(JSON.parse(row.input) as unknown),
    ...(row.cwd === null ? {} : { cwd: row.cwd }),
    at: row.at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    status: row.status as CallEntry['status'],
    failed: Boolean(row.failed),
    ...(row.error === null ? {} : { error: row.error }),
    turn: row.turn,
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.record === null ? {} : { record: parseRecord(row.record) }),
  }
}

/** A record that is not JSON stays text. */
function parseRecord(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

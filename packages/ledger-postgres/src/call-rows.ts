import type { CallEnd, CallDetails } from '@remora/ledger/internal'
import type { Queries } from './connection.ts'

/** A call with its changes. */
export interface KnownCall {
  readonly id: number
  readonly session: number
  named: boolean
  call: string
  claudeCall: string
  channel: number
  at: number
  endedChannel: number | null
  /** The channels that reported it. */
  readonly channels: Set<number>
  readonly fresh: boolean
  /** Reported again, so its time or `named` may have changed. */
  reportedAgain?: boolean
  details?: CallDetails
  end?: CallEnd
}

/** The call that a name refers to, or one of several. */
export interface KnownName {
  readonly session: number
  readonly entity: string
  readonly channel: number
  readonly number: number
  readonly call: number | null
  ended: boolean
  readonly fresh: boolean
  changed: boolean
}

interface CallRows {
  readonly calls: readonly KnownCall[]
  readonly names: readonly KnownName[]
  /** Session, channel, time and entity. */
  readonly prompts: readonly (readonly [number, number, number, string])[]
}

/** Writes new and changed rows, one statement per table. */
export async function saveCalls(queries: Queries, { calls, names, prompts }: CallRows): Promise<void> {
  const fresh = calls.filter((call) => call.fresh)
  await insertCalls(queries, fresh)
  const known = calls.filter((call) => !call.fresh)
  await updateDetails(queries, known)
  await updateEnds(queries, known)
  await saveNames(queries, names)
  await runForRows(
    queries,
    prompts,
    `INSERT INTO prompts (session_id, channel, at, entity)
     SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::double precision[], $4::uuid[]) ON CONFLICT DO NOTHING`,
  )
}

/** Runs a statement whose parameters are the columns of these rows, if there are any. */
async function runForRows(
  queries: Queries,
  rows: readonly (readonly unknown[])[],
  sql: string,
): Promise<void> {
  if (rows.length === 0) return
  await queries.run(sql, ...rows[0]!.map((_, column) => rows.map((row) => row[column])))
}

async function insertCalls(queries: Queries, calls: readonly KnownCall[]): Promise<void> {
  await runForRows(
    queries,
    calls.map(({ id, session, named, at, details, end }) => [
      id,
      session,
      named,
      at,
      ...toDetailColumns(details!),
      ...toEndColumns(end),
    ]),
    `INSERT INTO calls (id, session_id, named, at, entity, call, claude_call, channel, tool, native, input, parent,
       told_by, ended_channel, status, failed, error, ended_at, ended_by) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::double precision[], $5::text[], $6::text[],
       $7::text[], $8::smallint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::smallint[],
       $15::text[], $16::boolean[], $17::text[], $18::double precision[], $19::bigint[])`,
  )
}

async function updateDetails(queries: Queries, calls: readonly KnownCall[]): Promise<void> {
  await runForRows(
    queries,
    calls.filter(({ reportedAgain }) => reportedAgain).map(({ id, at, named }) => [id, at, named]),
    `UPDATE calls c SET at = t.at, named = t.named
     FROM unnest($1::bigint[], $2::double precision[], $3::boolean[]) t (id, at, named)
     WHERE c.id = t.id AND (c.at <> t.at OR c.named <> t.named)`,
  )
  await runForRows(
    queries,
    calls.flatMap(({ id, details }) => (details ? [[id, ...toDetailColumns(details)]] : [])),
    `UPDATE calls c SET entity = t.entity, call = t.call, claude_call = t.claude_call, channel = t.channel,
       tool = t.tool, native = t.native, input = t.input, parent = t.parent, told_by = t.told_by
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::bigint[])
       t (id, entity, call, claude_call, channel, tool, native, input, parent, told_by)
     WHERE c.id = t.id`,
  )
}

async function updateEnds(queries: Queries, calls: readonly KnownCall[]): Promise<void> {
  await runForRows(
    queries,
    calls.flatMap(({ id, end }) => (end ? [[id, ...toEndColumns(end)]] : [])),
    `UPDATE calls c SET ended_channel = t.channel, status = t.status, failed = t.failed, error = t.error,
       ended_at = t.at, ended_by = t.told_by
     FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::boolean[], $5::text[], $6::double precision[],
       $7::bigint[]) t (id, channel, status, failed, error, at, told_by)
     WHERE c.id = t.id`,
  )
}

async function saveNames(queries: Queries, names: readonly KnownName[]): Promise<void> {
  await runForRows(
    queries,
    names
      .filter(({ fresh, changed }) => fresh || changed)
      .map(({ session, entity, channel, number, call, ended }) => [
        session,
        entity,
        channel,
        number,
        call,
        ended,
      ]),
    `INSERT INTO call_names (session_id, entity, channel, number, call_id, ended)
     SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::integer[], $5::bigint[], $6::boolean[])
     ON CONFLICT (session_id, entity, channel, number) DO UPDATE SET ended = excluded.ended`,
  )
}

function toDetailColumns(details: CallDetails): readonly unknown[] {
  const { entity, call, claudeCall, channel, tool, native, input, parent, reportedBy } = details
  return [entity, call, claudeCall, channel, tool, native, input, parent, reportedBy]
}

function toEndColumns(end: CallEnd | undefined): readonly unknown[] {
  return [
    end?.channel ?? null,
    end?.status ?? 'running',
    end?.failed ?? false,
    end?.error ?? null,
    end?.at ?? null,
    end?.reportedBy ?? null,
  ]
}

import type { AuditEntry, AuditFields, AuditLog, SessionKey } from '@remora/ledger'
import {
  type AuditHead,
  type AuditRow,
  AuditChecker,
  auditColumns,
  toAuditEntry,
  forgottenEntry,
  createAuditRow,
} from '@remora/ledger/internal'
import { type Clock, buildNowSql, readClock } from './clock.ts'
import { Conditions } from './conditions.ts'
import type { Connection, Queries } from './connection.ts'
import { hashSession } from './hash.ts'

type Verdict = Awaited<ReturnType<AuditLog['verify']>>

const columns = auditColumns.join()

/** Entries verified per query. */
const step = 1000

/** Decisions in a chain: the hash of each entry covers the previous hash. */
export function createAuditLog(connection: Connection, clock: Clock): AuditLog {
  return {
    append: (entry) => connection.write((queries) => appendEntry(queries, clock, entry)),
    async read({ after = 0, limit, session } = {}) {
      const conditions = new Conditions()
      conditions.add('number > ?', after)
      if (session) conditions.add('session_key = ?', hashSession(session))
      const rows = await connection.all<AuditRow>(
        `SELECT ${columns} FROM audit ${conditions.where} ORDER BY number LIMIT ${conditions.place(limit ?? null)}`,
        ...conditions.parameters,
      )
      return rows.map(toAuditEntry)
    },
    verify: () => connection.read(verify),
  }
}

/** Appends an entry inside a transaction, and locks the head of the chain until it ends. */
export async function appendEntry(queries: Queries, clock: Clock, fields: AuditFields): Promise<AuditEntry> {
  const head = (await queries.get<{ value: string; now: number }>(
    `SELECT value, ${buildNowSql('$1')} AS now FROM meta WHERE name = 'audit' FOR UPDATE`,
    readClock(clock),
  ))!
  const row = createAuditRow(JSON.parse(head.value) as AuditHead, head.now, fields)
  await insertEntry(queries, row)
  await setHead(queries, { count: row.number, hash: row.hash })
  return toAuditEntry(row)
}

export async function insertEntry(queries: Queries, row: AuditRow): Promise<void> {
  const { agent, session } = row
  const key = agent === null || session === null ? null : hashSession({ agent, session })
  const placeholders = [...auditColumns, 'session_key'].map((_, index) => `$${index + 1}`).join()
  await queries.run(
    `INSERT INTO audit (${columns}, session_key) VALUES (${placeholders})`,
    ...auditColumns.map((name) => row[name]),
    key,
  )
}

export async function setHead(queries: Queries, head: AuditHead): Promise<void> {
  await queries.run(`UPDATE meta SET value = $1 WHERE name = 'audit'`, JSON.stringify(head))
}

/** Removes the details of a session inside a transaction. The chain stays valid and records the removal. */
export async function redact(queries: Queries, clock: Clock, key: SessionKey): Promise<boolean> {
  const changes = await queries.run(
    'UPDATE audit SET detail = NULL, salt = NULL WHERE session_key = $1 AND detail IS NOT NULL',
    hashSession(key),
  )
  if (changes > 0) await appendEntry(queries, clock, { what: forgottenEntry, who: 'person', ...key })
  return changes > 0
}

async function verify(queries: Queries): Promise<Verdict> {
  const checker = new AuditChecker()
  let broken: Verdict['broken']
  for (let after = Number.MIN_SAFE_INTEGER; broken === undefined;) {
    const rows = await queries.all<AuditRow>(
      `SELECT ${columns} FROM audit WHERE number > $1 ORDER BY number LIMIT ${step}`,
      after,
    )
    for (const row of rows) if ((broken = checker.check(row))) break
    if (rows.length < step) break
    after = rows.at(-1)!.number
  }
  const head = await queries.get<{ value: string }>(`SELECT value FROM meta WHERE name = 'audit'`)
  broken ??= checker.finish(head && (JSON.parse(head.value) as AuditHead))
  if (!broken) return { entries: checker.count }
  const counted = await queries.get<{ entries: number }>('SELECT count(*) AS entries FROM audit')
  return { entries: counted!.entries, broken }
}

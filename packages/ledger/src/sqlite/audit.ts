import type { AuditEntry, AuditFields, AuditLog, SessionKey } from '../model/ledger.ts'
import {
  type AuditHead,
  type AuditRow,
  AuditChecker,
  auditColumns,
  toAuditEntry,
  forgottenEntry,
  createAuditRow,
} from '../rows/audit-chain.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'

type Verdict = Awaited<ReturnType<AuditLog['verify']>>

/** Decisions in a chain: the hash of each entry covers the previous hash. */
export function createAuditLog(connection: Connection, now: () => number): AuditLog {
  return {
    async append(entry) {
      return connection.write(() => appendEntry(connection, now(), entry))
    },
    async read({ after = 0, limit, session } = {}) {
      const conditions = new Conditions()
      conditions.add('number > ?', after)
      if (session) conditions.add('agent = ? AND session = ?', session.agent, session.session)
      const sql = `SELECT * FROM audit ${conditions.where} ORDER BY number LIMIT ?`
      return connection.all<AuditRow>(sql, ...conditions.parameters, limit ?? -1).map(toAuditEntry)
    },
    async verify() {
      return connection.read(() => verify(connection))
    },
  }
}

/** Appends an entry inside a transaction. */
export function appendEntry(connection: Connection, at: number, fields: AuditFields): AuditEntry {
  const row = createAuditRow(readHead(connection)!, at, fields)
  insertEntry(connection, row)
  setHead(connection, { count: row.number, hash: row.hash })
  return toAuditEntry(row)
}

export function insertEntry(connection: Connection, row: AuditRow): void {
  const placeholders = auditColumns.map(() => '?').join()
  connection
    .statement(`INSERT INTO audit (${auditColumns.join()}) VALUES (${placeholders})`)
    .run(...auditColumns.map((name) => row[name]))
}

export function setHead(connection: Connection, head: AuditHead): void {
  connection.writeMeta('audit', JSON.stringify(head))
}

/** Removes the details of a session inside a transaction. The chain stays valid and records the removal. */
export function redact(connection: Connection, at: number, { agent, session }: SessionKey): boolean {
  const { changes } = connection
    .statement(
      `UPDATE audit SET detail = NULL, salt = NULL WHERE agent = ? AND session = ? AND detail IS NOT NULL`,
    )
    .run(agent, session)
  if (changes > 0) appendEntry(connection, at, { what: forgottenEntry, who: 'person', agent, session })
  return changes > 0
}

export function readHead(connection: Connection): AuditHead | undefined {
  const head = connection.readMeta<string>('audit')
  return head === undefined ? undefined : (JSON.parse(head) as AuditHead)
}

function verify(connection: Connection): Verdict {
  const checker = new AuditChecker()
  let broken: Verdict['broken']
  for (const row of connection.statement<AuditRow>('SELECT * FROM audit ORDER BY number').iterate())
    if ((broken = checker.check(row))) break
  broken ??= checker.finish(readHead(connection))
  if (!broken) return { entries: checker.count }
  const { entries } = connection.get<{ entries: number }>('SELECT count(*) AS entries FROM audit')!
  return { entries, broken }
}

import type { AuditEntry, AuditFields, AuditLog, SessionKey } from '../ledger.ts'
import { type AuditHead, type AuditRow, Chain, entryOf, forgotten, nextRow } from '../rows/audit-chain.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'

type Verdict = Awaited<ReturnType<AuditLog['verify']>>

/** Decisions in a chain: the hash of each entry covers the hash before it. */
export function auditLog(connection: Connection, now: () => number): AuditLog {
  return {
    async append(entry) {
      return connection.write(() => enter(connection, now(), entry))
    },
    async read({ after = 0, limit, session } = {}) {
      const conditions = new Conditions()
      conditions.add('number > ?', after)
      if (session) conditions.add('agent = ? AND session = ?', session.agent, session.session)
      const sql = `SELECT * FROM audit ${conditions.where} ORDER BY number LIMIT ?`
      return connection.all<AuditRow>(sql, ...conditions.parameters, limit ?? -1).map(entryOf)
    },
    async verify() {
      return connection.read(() => verify(connection))
    },
  }
}

/** Enters something, inside a transaction. */
export function enter(connection: Connection, at: number, fields: AuditFields): AuditEntry {
  const row = nextRow(readHead(connection)!, at, fields)
  insertEntry(connection, row)
  setHead(connection, { count: row.number, hash: row.hash })
  return entryOf(row)
}

export function insertEntry(connection: Connection, row: AuditRow): void {
  connection
    .statement(
      `INSERT INTO audit (number, at, what, who, agent, session, detail, salt, detail_hash, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      row.number,
      row.at,
      row.what,
      row.who,
      row.agent,
      row.session,
      row.detail,
      row.salt,
      row.detail_hash,
      row.hash,
    )
}

export function setHead(connection: Connection, head: AuditHead): void {
  connection.statement(`UPDATE meta SET value = ? WHERE name = 'audit'`).run(JSON.stringify(head))
}

/** Takes the details of a session away, inside a transaction. The chain stays whole, and tells that it was done. */
export function redact(connection: Connection, at: number, { agent, session }: SessionKey): boolean {
  const { changes } = connection
    .statement(
      `UPDATE audit SET detail = NULL, salt = NULL WHERE agent = ? AND session = ? AND detail IS NOT NULL`,
    )
    .run(agent, session)
  if (changes > 0) enter(connection, at, { what: forgotten, who: 'person', agent, session })
  return changes > 0
}

export function readHead(connection: Connection): AuditHead | undefined {
  const row = connection.get<{ value: string }>(`SELECT value FROM meta WHERE name = 'audit'`)
  return row && (JSON.parse(row.value) as AuditHead)
}

function verify(connection: Connection): Verdict {
  const chain = new Chain()
  let broken: Verdict['broken']
  for (const row of connection.statement<AuditRow>('SELECT * FROM audit ORDER BY number').iterate())
    if ((broken = chain.take(row))) break
  broken ??= chain.end(readHead(connection))
  if (!broken) return { entries: chain.count }
  const { entries } = connection.get<{ entries: number }>('SELECT count(*) AS entries FROM audit')!
  return { entries, broken }
}

import type { Command } from '@remora/protocol/plain'
import type { CommandStore } from '@remora/ledger'
import {
  type CommandRow,
  checkTransition,
  commandColumns,
  toCommand,
  toCommandValues,
} from '@remora/ledger/internal'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { hashKey, hashSession } from './hash.ts'

/** Each change is one statement, so only one of many processes makes it. */
export function createCommandStore(connection: Connection): CommandStore {
  return {
    submit(command) {
      return connection.write(async (queries) => {
        const key = hashCommand(command)
        await queries.run(
          `INSERT INTO commands (key, session_key, ${commandColumns})
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (key) DO NOTHING`,
          key,
          hashSession(command.target),
          ...toCommandValues(command),
        )
        const row = await queries.get<CommandRow>(
          `SELECT ${commandColumns} FROM commands WHERE key = $1`,
          key,
        )
        return toCommand(row!)
      })
    },
    async move(id, from, to, reason) {
      checkTransition(from, to)
      const row = await connection.write((queries) =>
        queries.get<CommandRow>(
          `UPDATE commands SET state = $3, reason = coalesce($4, reason) WHERE key = $1 AND state = $2
           RETURNING ${commandColumns}`,
          hashCommand(id),
          from,
          to,
          reason ?? null,
        ),
      )
      return row && toCommand(row)
    },
    async edit(id, body) {
      const row = await connection.write((queries) =>
        queries.get<CommandRow>(
          `UPDATE commands SET body = $2 WHERE key = $1 AND state = 'queued' RETURNING ${commandColumns}`,
          hashCommand(id),
          JSON.stringify(body),
        ),
      )
      return row && toCommand(row)
    },
    async rekey(from, to) {
      await connection.write((queries) =>
        queries.run(
          'UPDATE commands SET agent = $2, session = $3, session_key = $4 WHERE session_key = $1',
          hashSession(from),
          to.agent,
          to.session,
          hashSession(to),
        ),
      )
    },
    async find(id) {
      const sql = `SELECT ${commandColumns} FROM commands WHERE key = $1`
      const [row] = await connection.all<CommandRow>(sql, hashCommand(id))
      return row && toCommand(row)
    },
    changes(after) {
      return connection.read(async (queries) => {
        const { value } = (await queries.get<{ value: number }>(
          `SELECT value::bigint AS value FROM meta WHERE name = 'command_changes'`,
        ))!
        const sql = `SELECT ${commandColumns} FROM commands WHERE changed > $1 ORDER BY changed`
        const rows = after === undefined ? [] : await queries.all<CommandRow>(sql, after)
        return { commands: rows.map(toCommand), cursor: value }
      })
    },
    async list({ session, state } = {}) {
      const conditions = new Conditions()
      if (session) conditions.add('session_key = ?', hashSession(session))
      conditions.addIf(state, 'state = ?')
      const sql = `SELECT ${commandColumns} FROM commands ${conditions.where} ORDER BY number`
      return (await connection.all<CommandRow>(sql, ...conditions.parameters)).map(toCommand)
    },
  }
}

function hashCommand({ client, id }: Pick<Command, 'id' | 'client'>): string {
  return hashKey(client, id)
}

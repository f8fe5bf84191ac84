import type { Command } from '@remora/protocol/plain'
import type { CommandStore } from '../model/ledger.ts'
import {
  type CommandRow,
  checkTransition,
  commandColumns,
  toCommand,
  toCommandValues,
} from '../rows/command-row.ts'
import type { Connection } from './connection.ts'
import { Conditions } from './conditions.ts'

/** Each change is one statement, so only one of many processes makes it. */
export function createCommandStore(connection: Connection): CommandStore {
  const find = ({ id, client }: Pick<Command, 'id' | 'client'>): Command | undefined => {
    const rows = connection.statement<CommandRow>('SELECT * FROM commands WHERE client = ? AND id = ?')
    const row = rows.get(client, id)
    return row && toCommand(row)
  }
  return {
    async submit(command) {
      return connection.write(() => {
        connection
          .statement(
            `INSERT INTO commands (${commandColumns})
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (client, id) DO NOTHING`,
          )
          .run(...toCommandValues(command))
        return find(command)!
      })
    },
    async move({ id, client }, from, to, reason) {
      checkTransition(from, to)
      const row = await connection.write(() =>
        connection
          .statement<CommandRow>(
            `UPDATE commands SET state = ?, reason = coalesce(?, reason) WHERE client = ? AND id = ? AND state = ?
             RETURNING *`,
          )
          .get(to, reason ?? null, client, id, from),
      )
      return row && toCommand(row)
    },
    async edit({ id, client }, body) {
      const row = await connection.write(() =>
        connection
          .statement<CommandRow>(
            `UPDATE commands SET body = ? WHERE client = ? AND id = ? AND state = 'queued' RETURNING *`,
          )
          .get(JSON.stringify(body), client, id),
      )
      return row && toCommand(row)
    },
    async rekey(from, to) {
      await connection.write(() =>
        connection
          .statement('UPDATE commands SET agent = ?, session = ? WHERE agent = ? AND session = ?')
          .run(to.agent, to.session, from.agent, from.session),
      )
    },
    async find(id) {
      return find(id)
    },
    async changes(after) {
      return connection.read(() => {
        const cursor = connection.readMeta<number>('command_changes')!
        const sql = 'SELECT * FROM commands WHERE changed > ? ORDER BY changed'
        const rows = after === undefined ? [] : connection.all<CommandRow>(sql, after)
        return { commands: rows.map(toCommand), cursor }
      })
    },
    async list({ session, state } = {}) {
      const conditions = new Conditions()
      if (session) conditions.add('agent = ? AND session = ?', session.agent, session.session)
      conditions.addIf(state, 'state = ?')
      const sql = `SELECT * FROM commands ${conditions.where} ORDER BY number`
      return connection.all<CommandRow>(sql, ...conditions.parameters).map(toCommand)
    },
  }
}

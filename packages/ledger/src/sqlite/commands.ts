import {
  type Command,
  type CommandBody,
  type CommandState,
  RemoraError,
  canMove,
} from '@remora/protocol/plain'
import type { CommandStore } from '../ledger.ts'
import type { Connection } from './connection.ts'
import { Conditions } from './conditions.ts'

interface CommandRow {
  readonly client: string
  readonly id: string
  readonly agent: string
  readonly session: string
  readonly state: string
  readonly at: number
  readonly body: string
  readonly reason: string | null
}

/** Each change is one statement, so that of many processes one does it. */
export function commandStore(connection: Connection): CommandStore {
  return {
    async submit(command) {
      const { id, client, target, state, at, body, reason } = command
      return connection.write(() => {
        connection
          .statement(
            `INSERT INTO commands (client, id, agent, session, state, at, body, reason)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (client, id) DO NOTHING`,
          )
          .run(client, id, target.agent, target.session, state, at, JSON.stringify(body), reason ?? null)
        const row = connection.statement<CommandRow>('SELECT * FROM commands WHERE client = ? AND id = ?')
        return commandOf(row.get(client, id)!)
      })
    },
    async move({ id, client }, from, to, reason) {
      if (!canMove(from, to)) throw new RemoraError('usage', `A command never goes from ${from} to ${to}`)
      const row = await connection.write(() =>
        connection
          .statement<CommandRow>(
            `UPDATE commands SET state = ?, reason = coalesce(?, reason) WHERE client = ? AND id = ? AND state = ?
             RETURNING *`,
          )
          .get(to, reason ?? null, client, id, from),
      )
      return row && commandOf(row)
    },
    async list({ session, state } = {}) {
      const conditions = new Conditions()
      if (session) conditions.add('agent = ? AND session = ?', session.agent, session.session)
      conditions.addIf(state, 'state = ?')
      const sql = `SELECT * FROM commands ${conditions.where} ORDER BY number`
      return connection.all<CommandRow>(sql, ...conditions.parameters).map(commandOf)
    },
  }
}

function commandOf(row: CommandRow): Command {
  return {
    id: row.id,
    client: row.client,
    target: { agent: row.agent, session: row.session },
    body: JSON.parse(row.body) as CommandBody,
    state: row.state as CommandState,
    at: row.at,
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}

import { type Answer, type Ask, RemoraError } from '@remora/protocol/plain'
import type { AskStore } from '../ledger.ts'
import { answeredBy } from '../rows/answered-by.ts'
import { enter } from './audit.ts'
import type { Connection } from './connection.ts'

interface AskRow {
  readonly agent: string
  readonly session: string
  readonly digest: string
  readonly ask: string
  readonly answer: string | null
}

/** Each change is one transaction, so that of many processes one wins, and the audit log knows which. */
export function askStore(connection: Connection, now: () => number): AskStore {
  const where = 'WHERE agent = ? AND session = ? AND id = ?'
  const find = (agent: string, session: string, id: string): AskRow | undefined =>
    connection.get<AskRow>(`SELECT * FROM asks ${where}`, agent, session, id)

  return {
    async open({ agent, session }, ask, { redrawn = false } = {}) {
      await connection.write(() =>
        connection
          .statement(
            `INSERT INTO asks (agent, session, id, digest, ask) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (agent, session, id) DO UPDATE SET digest = excluded.digest, ask = excluded.ask, answer = NULL
             WHERE digest <> excluded.digest ${redrawn ? 'AND answer IS NULL' : ''}`,
          )
          .run(agent, session, ask.id, ask.digest, JSON.stringify(ask)),
      )
    },
    async answer({ agent, session }, answer) {
      const won = await connection.write(() => {
        const row = connection
          .statement<AskRow>(
            `UPDATE asks SET answer = ? ${where} AND digest = ? AND answer IS NULL RETURNING *`,
          )
          .get(JSON.stringify(answer), agent, session, answer.ask, answer.digest)
        if (!row) return false
        const detail = { ask: JSON.parse(row.ask) as Ask, answer }
        enter(connection, now(), { what: 'answer', who: answeredBy(answer), agent, session, detail })
        return true
      })
      if (won) return { won, answer }
      const row = find(agent, session, answer.ask)
      if (!row) throw new RemoraError('not_found', `There is no ask ${answer.ask} in ${agent} ${session}`)
      if (row.digest !== answer.digest)
        throw new RemoraError('conflict', `The ask ${answer.ask} has changed since it was shown`, {
          hint: 'Look at it again, and then decide.',
        })
      return { won: false, answer: JSON.parse(row.answer!) as Answer }
    },
    async pending(key) {
      const select = 'SELECT * FROM asks WHERE answer IS NULL'
      const rows = key
        ? connection.all<AskRow>(
            `${select} AND agent = ? AND session = ? ORDER BY number`,
            key.agent,
            key.session,
          )
        : connection.all<AskRow>(`${select} ORDER BY number`)
      return rows.map(({ agent, session, ask }) => ({ agent, session, ask: JSON.parse(ask) as Ask }))
    },
    async find({ agent, session }, id) {
      const row = find(agent, session, id)
      if (!row) return undefined
      const answer = row.answer === null ? {} : { answer: JSON.parse(row.answer) as Answer }
      return { ask: JSON.parse(row.ask) as Ask, ...answer }
    },
  }
}

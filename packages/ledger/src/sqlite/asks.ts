import type { Ask } from '@remora/protocol/plain'
import type { AskStore } from '../model/ledger.ts'
import { type AskRow, formatDecider, getWinningAnswer, toAsk, toPendingAsk } from '../rows/ask-row.ts'
import { appendEntry } from './audit.ts'
import type { Connection } from './connection.ts'

/** Each change is one transaction, so one of many processes wins and the audit log records which. */
export function createAskStore(connection: Connection, now: () => number): AskStore {
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
        appendEntry(connection, now(), { what: 'answer', who: formatDecider(answer), agent, session, detail })
        return true
      })
      if (won) return { won, answer }
      const winner = getWinningAnswer(find(agent, session, answer.ask), { agent, session }, answer)
      return { won: false, answer: winner }
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
      return rows.map(toPendingAsk)
    },
    async find({ agent, session }, id) {
      const row = find(agent, session, id)
      return row && toAsk(row)
    },
  }
}

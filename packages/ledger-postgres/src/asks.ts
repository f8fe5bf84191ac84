import type { Ask } from '@remora/protocol/plain'
import type { AskStore, SessionKey } from '@remora/ledger'
import { type AskRow, formatDecider, getWinningAnswer, toAsk, toPendingAsk } from '@remora/ledger/internal'
import { appendEntry } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './connection.ts'
import { hashKey, hashSession } from './hash.ts'

const columns = 'agent, session, digest, ask, answer'

/** Each change is one transaction, so one of many processes wins and the audit log records which. */
export function createAskStore(connection: Connection, clock: Clock): AskStore {
  const find = (key: string): Promise<AskRow | undefined> =>
    connection.get<AskRow>(`SELECT ${columns} FROM asks WHERE key = $1`, key)

  return {
    async open(key, ask, { redrawn = false } = {}) {
      await connection.write((queries) =>
        queries.run(
          `INSERT INTO asks AS a (key, session_key, agent, session, digest, ask) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, ask = excluded.ask, answer = NULL
           WHERE a.digest <> excluded.digest ${redrawn ? 'AND a.answer IS NULL' : ''}`,
          hashAsk(key, ask.id),
          hashSession(key),
          key.agent,
          key.session,
          ask.digest,
          JSON.stringify(ask),
        ),
      )
    },
    async answer({ agent, session }, answer) {
      const key = hashAsk({ agent, session }, answer.ask)
      const won = await connection.write(async (queries) => {
        const row = await queries.get<AskRow>(
          `UPDATE asks SET answer = $2 WHERE key = $1 AND digest = $3 AND answer IS NULL RETURNING ${columns}`,
          key,
          JSON.stringify(answer),
          answer.digest,
        )
        if (!row) return false
        const detail = { ask: JSON.parse(row.ask) as Ask, answer }
        await appendEntry(queries, clock, {
          what: 'answer',
          who: formatDecider(answer),
          agent,
          session,
          detail,
        })
        return true
      })
      if (won) return { won, answer }
      return { won: false, answer: getWinningAnswer(await find(key), { agent, session }, answer) }
    },
    async pending(key) {
      const select = `SELECT ${columns} FROM asks WHERE answer IS NULL`
      const rows = key
        ? await connection.all<AskRow>(`${select} AND session_key = $1 ORDER BY number`, hashSession(key))
        : await connection.all<AskRow>(`${select} ORDER BY number`)
      return rows.map(toPendingAsk)
    },
    async find(key, id) {
      const row = await find(hashAsk(key, id))
      return row && toAsk(row)
    },
  }
}

function hashAsk({ agent, session }: SessionKey, id: string): string {
  return hashKey(agent, session, id)
}

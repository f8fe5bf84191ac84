import { type Answer, type Ask, RemoraError } from '@remora/protocol/plain'
import type { AskStore, SessionKey } from '@remora/ledger'
import { answeredBy } from '@remora/ledger/engine'
import { enter } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './connection.ts'
import { hashOf, sessionHash } from './hash.ts'

interface AskRow {
  readonly agent: string
  readonly session: string
  readonly digest: string
  readonly ask: string
  readonly answer: string | null
}

const columns = 'agent, session, digest, ask, answer'

/** Each change is one transaction, so that of many processes one wins, and the audit log knows which. */
export function askStore(connection: Connection, clock: Clock): AskStore {
  const find = (key: string): Promise<AskRow | undefined> =>
    connection.get<AskRow>(`SELECT ${columns} FROM asks WHERE key = $1`, key)

  return {
    async open(key, ask, { redrawn = false } = {}) {
      await connection.write((queries) =>
        queries.run(
          `INSERT INTO asks AS a (key, session_key, agent, session, digest, ask) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, ask = excluded.ask, answer = NULL
           WHERE a.digest <> excluded.digest ${redrawn ? 'AND a.answer IS NULL' : ''}`,
          askHash(key, ask.id),
          sessionHash(key),
          key.agent,
          key.session,
          ask.digest,
          JSON.stringify(ask),
        ),
      )
    },
    async answer({ agent, session }, answer) {
      const key = askHash({ agent, session }, answer.ask)
      const won = await connection.write(async (queries) => {
        const row = await queries.get<AskRow>(
          `UPDATE asks SET answer = $2 WHERE key = $1 AND digest = $3 AND answer IS NULL RETURNING ${columns}`,
          key,
          JSON.stringify(answer),
          answer.digest,
        )
        if (!row) return false
        const detail = { ask: JSON.parse(row.ask) as Ask, answer }
        await enter(queries, clock, { what: 'answer', who: answeredBy(answer), agent, session, detail })
        return true
      })
      if (won) return { won, answer }
      const row = await find(key)
      if (!row) throw new RemoraError('not_found', `There is no ask ${answer.ask} in ${agent} ${session}`)
      if (row.digest !== answer.digest)
        throw new RemoraError('conflict', `The ask ${answer.ask} has changed since it was shown`, {
          hint: 'Look at it again, and then decide.',
        })
      return { won: false, answer: JSON.parse(row.answer!) as Answer }
    },
    async pending(key) {
      const select = `SELECT ${columns} FROM asks WHERE answer IS NULL`
      const rows = key
        ? await connection.all<AskRow>(`${select} AND session_key = $1 ORDER BY number`, sessionHash(key))
        : await connection.all<AskRow>(`${select} ORDER BY number`)
      return rows.map(({ agent, session, ask }) => ({ agent, session, ask: JSON.parse(ask) as Ask }))
    },
    async find(key, id) {
      const row = await find(askHash(key, id))
      if (!row) return undefined
      const answer = row.answer === null ? {} : { answer: JSON.parse(row.answer) as Answer }
      return { ask: JSON.parse(row.ask) as Ask, ...answer }
    },
  }
}

function askHash({ agent, session }: SessionKey, id: string): string {
  return hashOf(agent, session, id)
}

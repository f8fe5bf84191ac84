import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../../../../testkit/src/postgres.ts'
import { Story } from '../contract/story.test-data.ts'
import type { Ledger } from '../ledger.ts'
import { open } from './engine.test-data.ts'

/** On a server of its own, which brings nothing to the disk but what somebody waits for. */
export function testFlush(): void {
  let server: Postgres
  let url: string
  let ledger: Ledger
  let client: pg.Client
  beforeAll(async () => {
    server = await startPostgres({ fsync: 'off', settings: { wal_writer_delay: '10s' } })
  })
  afterAll(() => server?.stop())

  const begin = async (): Promise<void> => {
    url = await server.createDatabase()
    ledger = await open(url)
    client = new pg.Client(url)
    // It is ended with the server, too.
    client.on('error', () => {})
    await client.connect()
  }
  const end = async (): Promise<void> => {
    await Promise.all([ledger.close(), client.end()])
  }

  it('hands out no number of what a crash could still undo', async () => {
    await begin()
    const records = new Story().prompt('a', 'a')
    await ledger.append(records)
    const stop = new AbortController()
    const pages = ledger.tail({ signal: stop.signal })[Symbol.asyncIterator]()
    await pages.next()
    for (const hand of [
      async () => (await ledger.read()).cursor,
      async () => ledger.head(),
      async () => (await ledger.append(records)).cursor,
      async () => ((await pages.next()).value as { cursor: { seq: number } }).cursor,
    ]) {
      const { place, seq } = await early(client)
      expect(await hand()).toMatchObject({ seq })
      expect(await isFlushed(client, place)).toBe(true)
    }
    stop.abort()
    await end()
  })

  it('has on the disk what it said was stored', async () => {
    await begin()
    const story = new Story()
    for (let index = 0; index < 20; index++)
      expect(await ledger.append(story.says(`${index}`))).toMatchObject({ added: 1 })
    await server.kill()
    await server.start()
    expect((await ledger.read()).events).toHaveLength(20)
    expect(await ledger.append(story.says('more'))).toMatchObject({ added: 1, cursor: { seq: 21 } })
    await end()
  })

  it('lets other writers go on while the disk writes', async () => {
    await begin()
    const story = new Story()
    await ledger.append(story.prompt('a'))
    // As with a slow disk.
    await client.query('ALTER SYSTEM SET commit_delay = 50000')
    await client.query('ALTER SYSTEM SET commit_siblings = 0')
    await client.query('SELECT pg_reload_conf()')
    // It is there for all to see, so nobody waits for it any longer, though nothing was written to the disk since it began.
    const seen = async (): Promise<boolean> => {
      const before = await client.query<{ seq: string; place: string }>(
        'SELECT seq, pg_current_wal_insert_lsn()::text AS place FROM head',
      )
      const { seq, place } = before.rows[0]!
      const done = new AbortController()
      const appended = ledger.append(story.says('b')).finally(() => done.abort())
      let free = false
      while (!done.signal.aborted && !free) {
        const { rows } = await client.query<{ early: boolean }>(
          `SELECT seq > $1 AND pg_current_wal_flush_lsn() <= $2::pg_lsn AS early FROM head`,
          [seq, place],
        )
        free = rows[0]?.early === true
      }
      await appended
      return free
    }
    await expect.poll(seen).toBe(true)
    await end()
  })

  it('waits for a standby before anybody sees what is stored, where there has to be one', async () => {
    await begin()
    const story = new Story()
    await ledger.append(story.prompt('a'))
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
    await client.query('SELECT pg_reload_conf()')
    await expect
      .poll(async () => (await client.query(`SHOW synchronous_standby_names`)).rows)
      .toEqual([{ synchronous_standby_names: 'nobody' }])
    const appended = ledger.append(story.says('b'))
    await expect
      .poll(
        async () =>
          (await client.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).rowCount,
      )
      .toBe(1)
    expect((await client.query<{ seq: string }>('SELECT seq FROM head')).rows).toEqual([{ seq: '1' }])
    await client.query(`ALTER SYSTEM RESET synchronous_standby_names`)
    await client.query('SELECT pg_reload_conf()')
    expect(await appended).toMatchObject({ added: 1, cursor: { seq: 2 } })
    await end()
  })
}

/** Stores an event as somebody does who has not waited for the disk yet. Tells how far the log has to be there for it. */
async function early(client: pg.Client): Promise<{ place: string; seq: number }> {
  for (;;) {
    await client.query('BEGIN')
    await client.query('SET LOCAL synchronous_commit = off')
    await client.query('UPDATE head SET seq = seq + 1')
    await client.query(
      `INSERT INTO events SELECT h.seq, stored_at, session_id, source_id, at, record, said_by, 'b', digest, type, 'b', parent,
         body, raw FROM events e, head h WHERE e.seq = 1`,
    )
    await client.query(`SELECT pg_notify('remora ' || value, '') FROM meta WHERE name = 'epoch'`)
    await client.query('COMMIT')
    const { rows } = await client.query<{ place: string; seq: string }>(
      'SELECT pg_current_wal_insert_lsn()::text AS place, seq FROM head',
    )
    const [{ place, seq }] = rows as [{ place: string; seq: string }]
    // The database itself may have had something to write in that moment.
    if (!(await isFlushed(client, place))) return { place, seq: Number(seq) }
  }
}

async function isFlushed(client: pg.Client, place: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    'SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS there',
    [place],
  )
  return rows[0]!.there
}

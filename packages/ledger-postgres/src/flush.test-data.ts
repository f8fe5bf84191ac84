import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../../../testkit/src/postgres.ts'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import type { Ledger } from '@remora/ledger'
import { open } from './engine.test-data.ts'

/** Uses a server that flushes only what a client waits for. */
export function testFlush(): void {
  let server: Postgres
  let ledger: Ledger
  let client: pg.Client
  beforeAll(async () => {
    server = await startPostgres({ fsync: 'on', settings: { wal_writer_delay: '10s' } })
  })
  afterAll(() => server?.stop())

  const connect = async (url: string): Promise<pg.Client> => {
    const made = new pg.Client(url)
    // The server ends it as well.
    made.on('error', () => {})
    await made.connect()
    return made
  }
  /** The ledger reads the flush position with functions that a test can override in the schema public. */
  const begin = async (): Promise<string> => {
    const url = await server.createDatabase()
    ledger = await open(`${url}?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`)
    client = await connect(url)
    return url
  }
  const end = async (): Promise<void> => {
    await Promise.all([ledger.close(), client.end()])
  }
  const change = async (...settings: readonly string[]): Promise<void> => {
    for (const setting of settings) await client.query(`ALTER SYSTEM ${setting}`)
    await client.query('SELECT pg_reload_conf()')
  }

  it('returns nothing that a crash could still undo', async () => {
    await begin()
    const records = new Story().prompt('a', 'a')
    await ledger.append(records, { marks: { place: 1 } })
    const stop = new AbortController()
    const pages = ledger.tail({ signal: stop.signal })[Symbol.asyncIterator]()
    await pages.next()
    for (const hand of [
      async () => (await ledger.read()).cursor.seq,
      async () => (await ledger.head()).seq,
      async () => (await ledger.append(records)).cursor.seq,
      async () => (await ledger.append([], { marks: { none: undefined } })).cursor.seq,
      async () => ((await pages.next()).value as { cursor: { seq: number } }).cursor.seq,
      async () => (await ledger.marks('place')).get('place'),
    ]) {
      const { place, seq } = await early(client)
      expect(await hand()).toBe(seq)
      expect(await isFlushed(client, place)).toBe(true)
    }
    stop.abort()
    await end()
  })

  it('has flushed what it reported as stored', async () => {
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

  it('shows its own readers what it stored, although the flush failed', async () => {
    await begin()
    // Created before the ledger's first append, it applies to all of them. The ledger's own queries do not fail.
    await client.query(
      `CREATE TABLE public.broken ();
       CREATE FUNCTION public.pg_logical_emit_message(boolean, text, text) RETURNS pg_lsn LANGUAGE plpgsql AS $$ BEGIN
         IF current_query() LIKE 'CALL%' AND EXISTS (SELECT FROM public.broken) THEN RAISE query_canceled; END IF;
         RETURN pg_catalog.pg_logical_emit_message($1, $2, $3);
       END $$`,
    )
    const story = new Story()
    for (const entity of ['a', 'b']) await ledger.append(story.prompt(entity, entity))
    const received: string[] = []
    const stop = new AbortController()
    void (async () => {
      for await (const page of ledger.tail({ signal: stop.signal }))
        received.push(...page.events.map(({ event }) => event.entity))
    })()
    await expect.poll(() => received).toEqual(['a', 'b'])
    await client.query('INSERT INTO public.broken DEFAULT VALUES')
    // The event is stored already when it is appended again.
    expect(await ledger.append(story.prompt('c', 'c'))).toMatchObject({ added: 0, cursor: { seq: 3 } })
    await expect.poll(() => received).toEqual(['a', 'b', 'c'])
    expect((await ledger.read()).events).toHaveLength(3)
    stop.abort()
    await end()
  })

  it('lets other writers continue during a flush', async () => {
    await begin()
    const story = new Story()
    await ledger.append(story.prompt('a'))
    // Simulates a slow disk.
    await change('SET commit_delay = 50000', 'SET commit_siblings = 0')
    // It is visible, so no writer waits for it, although nothing was flushed since it began.
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
    await change('RESET commit_delay', 'RESET commit_siblings')
    await end()
  })

  it('waits for a synchronous standby before events are visible; readers do not', async () => {
    const url = await begin()
    const other = await connect(url)
    const story = new Story()
    await ledger.append(story.prompt('a'))
    await ledger.append(story.says('b'))
    await change(`SET synchronous_standby_names = 'missing'`)
    const waiting = async (): Promise<number[]> => {
      const sql = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
      return (await client.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid)
    }
    // Waits until the server has applied the setting.
    const known = async (): Promise<boolean> => {
      const done = new AbortController()
      const sent = other.query(`SELECT pg_logical_emit_message(true, '', '')`).finally(() => done.abort())
      let pid: number | undefined
      while (!done.signal.aborted && pid === undefined) [pid] = await waiting()
      if (pid !== undefined) await client.query('SELECT pg_cancel_backend($1)', [pid])
      await sent
      return pid !== undefined
    }
    await expect.poll(known).toBe(true)
    const appended = ledger.append(story.says('c'))
    await expect.poll(waiting).toHaveLength(1)
    for (const hand of [async () => (await ledger.read()).cursor, async () => ledger.head()]) {
      // Writes something that is not flushed and that no client waits for.
      await client.query('BEGIN')
      await client.query('SET LOCAL synchronous_commit = off')
      await client.query(`SELECT pg_logical_emit_message(true, '', '')`)
      await client.query('COMMIT')
      expect(await hand()).toMatchObject({ seq: 2 })
    }
    await change('RESET synchronous_standby_names')
    expect(await appended).toMatchObject({ added: 1, cursor: { seq: 3 } })
    await other.end()
    await end()
  })
}

/**
 * Stores an event, and a mark with its number, without waiting for the flush. Returns the log position that must be
 * flushed.
 */
async function early(client: pg.Client): Promise<{ place: string; seq: number }> {
  for (;;) {
    await client.query('BEGIN')
    await client.query('SET LOCAL synchronous_commit = off')
    await client.query('UPDATE head SET seq = seq + 1')
    await client.query(
      `INSERT INTO events SELECT h.seq, stored_at, session_id, source_id, at, record, said_by, 'b', digest, type, 'b', parent,
         body, raw FROM events e, head h WHERE e.seq = 1`,
    )
    await client.query('UPDATE marks SET value = head.seq FROM head')
    await client.query(`SELECT pg_notify('remora ' || value, '') FROM meta WHERE name = 'epoch'`)
    await client.query('COMMIT')
    const { rows } = await client.query<{ place: string; seq: string }>(
      'SELECT pg_current_wal_insert_lsn()::text AS place, seq FROM head',
    )
    const [{ place, seq }] = rows as [{ place: string; seq: string }]
    // The database itself may have written something at that moment.
    if (!(await isFlushed(client, place))) return { place, seq: Number(seq) }
  }
}

async function isFlushed(client: pg.Client, place: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    'SELECT pg_catalog.pg_current_wal_flush_lsn() >= $1::pg_lsn AS there',
    [place],
  )
  return rows[0]!.there
}

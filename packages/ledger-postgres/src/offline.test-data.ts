import type { RemoraError } from '@remora/protocol'
import pg from 'pg'
import { expect, it } from 'vitest'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import type { Ledger } from '@remora/ledger'
import { type PostgresEngine, open } from './engine.test-data.ts'

export function testOffline(engine: () => PostgresEngine): void {
  it('misses nothing when the listening connection is cut', async () => {
    const place = await engine().place()
    const [ledger, other] = [await open(place), await open(place)]
    const story = new Story()
    const stop = new AbortController()
    const received = follow(ledger, stop.signal)
    await other.append(story.prompt('a', 'a'))
    await expect.poll(() => received, waiting).toEqual(['a'])
    for (const entity of ['b', 'c', 'd']) {
      expect(await cut(place, `query LIKE 'LISTEN%' OR query = 'SELECT seq FROM head'`)).toBeGreaterThan(0)
      await other.append(story.prompt(entity, entity))
      await expect.poll(() => received.at(-1), waiting).toBe(entity)
    }
    expect(received).toEqual(['a', 'b', 'c', 'd'])
    stop.abort()
    await Promise.all([ledger.close(), other.close()])
  })

  it('notices a change without a notification by polling', async () => {
    const place = await engine().place()
    const [ledger, other] = [await open(place), await open(place)]
    const stop = new AbortController()
    const received = follow(ledger, stop.signal)
    await other.append(new Story().prompt('a', 'a'))
    await expect.poll(() => received, waiting).toEqual(['a'])
    // The same as an append, without the notification.
    const client = new pg.Client(place)
    await client.connect()
    await client.query('BEGIN')
    await client.query('UPDATE head SET seq = 2')
    await client.query(
      `INSERT INTO events SELECT 2, stored_at, session_id, source_id, at, record, said_by, 'b', digest, type, 'b', parent,
         body, raw FROM events WHERE seq = 1`,
    )
    await client.query('COMMIT')
    await client.end()
    await expect.poll(() => received, waiting).toEqual(['a', 'b'])
    stop.abort()
    await Promise.all([ledger.close(), other.close()])
  })

  it('continues when all its connections were cut', async () => {
    const place = await engine().place()
    const ledger = await open(place)
    const story = new Story()
    await ledger.append(story.prompt('a', 'a'))
    await cut(place, 'TRUE')
    expect((await ledger.append(story.prompt('b', 'b'))).added).toBe(1)
    await cut(place, 'TRUE')
    expect((await ledger.read()).events).toHaveLength(2)
    await ledger.close()
  })

  it('reports an offline database, and continues readers, writers and waiters once it is back', async () => {
    const { server } = engine()
    const place = await engine().place()
    const ledger = await open(place)
    const story = new Story()
    const stop = new AbortController()
    const received = follow(ledger, stop.signal)
    await ledger.append(story.prompt('a', 'a'))
    await expect.poll(() => received, waiting).toEqual(['a'])

    await server.kill()
    const failed = ledger.append(story.prompt('never', 'never'))
    await expect(failed).rejects.toMatchObject({ code: 'network' })
    const error = (await failed.catch((error: unknown) => error)) as RemoraError
    expect(error.message).toContain(`the database contract at 127.0.0.1:${server.port}`)
    expect(error.hint).toContain('127.0.0.1')
    expect(error.hint).toContain('contract')
    expect(JSON.stringify(error) + error.stack).not.toContain(server.password)
    await expect(ledger.sessions()).rejects.toMatchObject({ code: 'network' })

    await server.start()
    const records = story.prompt('b', 'b')
    expect((await ledger.append(records)).added).toBe(1)
    expect((await ledger.append(records)).added).toBe(0)
    await expect.poll(() => received, waiting).toEqual(['a', 'b'])

    await server.restart(200)
    const changed = ledger.changed(stop.signal)
    expect((await ledger.append(story.prompt('c', 'c'))).added).toBe(1)
    await changed
    await expect.poll(() => received, waiting).toEqual(['a', 'b', 'c'])
    stop.abort()
    await ledger.close()
  })
}

const waiting = { timeout: 60_000 }

/** The entities that a tail has yielded so far. */
function follow(ledger: Ledger, signal: AbortSignal): string[] {
  const received: string[] = []
  void (async () => {
    for await (const page of ledger.tail({ signal }))
      received.push(...page.events.map(({ event }) => event.entity))
  })()
  return received
}

/** Cuts connections of a ledger, waits until they are gone, and returns their number. */
async function cut(place: string, which: string): Promise<number> {
  const client = new pg.Client(place)
  await client.connect()
  const { rows } = await client.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
     WHERE application_name = 'remora' AND datname = current_database() AND (${which})`,
  )
  await client.end()
  return rows.length
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import { openPostgres } from './open-postgres.ts'
import { type PostgresEngine, open } from './engine.test-data.ts'

export function testOpening(engine: () => PostgresEngine): void {
  it('is created once when many processes open it', async () => {
    const url = await engine().server.createDatabase()
    const ledgers = await Promise.all(Array.from({ length: 6 }, () => open(url)))
    expect(new Set(ledgers.map(({ epoch }) => epoch)).size).toBe(1)
    for (const ledger of ledgers) await ledger.close()
  })

  it('refuses a database of a newer version and leaves it unchanged', async () => {
    const { server } = engine()
    const url = await server.createDatabase('newer')
    await (await open(url)).close()
    await server.query(`UPDATE meta SET value = '99' WHERE name = 'schema'`, 'newer')
    await expect(open(url)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/database newer at .* newer version of Remora \(schema 99/),
      hint: expect.stringMatching(/Update Remora/),
    })
    expect(await server.query(`SELECT value FROM meta WHERE name = 'schema'`, 'newer')).toBe('99\n')
  })

  it('upgrades what an older version created', async () => {
    const { server } = engine()
    const url = await server.createDatabase('older')
    await (await open(url)).close()
    // Earlier versions appended with a function.
    await server.query(
      `DROP PROCEDURE append_foreseen;
       CREATE FUNCTION append_foreseen(events text[]) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
       DELETE FROM migrations WHERE name LIKE '0003-%';
       UPDATE meta SET value = '2' WHERE name = 'schema'`,
      'older',
    )
    const ledger = await open(url)
    const story = new Story()
    for (let index = 0; index < 3; index++) await ledger.append(story.says(`${index}`))
    expect((await ledger.read()).events).toHaveLength(3)
    await ledger.close()
    const kinds = `SELECT prokind FROM pg_proc WHERE proname = 'append_foreseen'`
    expect(await server.query(kinds, 'older')).toBe('p\n')
  })

  it('leaves another ledger on the search path alone', async () => {
    const { server } = engine()
    const url = await server.createDatabase('teams')
    await (await open(url)).close()
    await server.query('CREATE SCHEMA team', 'teams')
    const ledger = await open(`${url}?options=${encodeURIComponent('-c search_path=team,public')}`)
    await ledger.append(new Story().prompt('a'))
    await ledger.close()
    const places = `SELECT pronamespace::regnamespace FROM pg_proc WHERE proname = 'append_foreseen' ORDER BY 1`
    expect(await server.query(places, 'teams')).toBe('public\nteam\n')
    expect(await server.query('SELECT (SELECT seq FROM head), (SELECT seq FROM team.head)', 'teams')).toBe(
      '0|1\n',
    )
  })

  it('refuses a database with other tables, and one that cannot store every text', async () => {
    const { server } = engine()
    const url = await server.createDatabase('diary')
    await server.query('CREATE TABLE meta (day DATE)', 'diary')
    await expect(open(url)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/no ledger/),
    })
    expect(await server.query(`SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`, 'diary')).toBe(
      '1\n',
    )
    await server.query(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    await expect(open(server.url('latin'))).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/LATIN1/),
      hint: expect.stringMatching(/createdb --encoding=UTF8/),
    })
    const nowhere = `${server.url('contract')}?options=${encodeURIComponent('-c search_path=nowhere')}`
    await expect(open(nowhere)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/schema/),
    })
  })

  it('explains what is wrong with a URL, and never shows the password', async () => {
    const { server } = engine()
    const web = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(web, 'listening')
    const { port } = web.address() as AddressInfo
    await server.query(`CREATE ROLE guest LOGIN PASSWORD '${server.password}'`)
    const right = server.url('postgres')
    const cases: readonly (readonly [url: string, code: string, words: RegExp])[] = [
      [
        right.replace(server.password, `${server.password}x`),
        'auth',
        /remora cannot log in.*database postgres/,
      ],
      [right.replace('remora:', 'unknown:'), 'auth', /unknown cannot log in/],
      [server.url('none'), 'config', /no such database: the database none/],
      [right.replace(String(server.port), '1'), 'network', /cannot be reached.*127\.0\.0\.1:1 /],
      [right.replace('127.0.0.1', 'nowhere.invalid'), 'network', /cannot be reached.*nowhere\.invalid/],
      [right.replace(String(server.port), String(port)), 'network', /cannot be reached/],
      [server.url('postgres').replace('remora:', 'guest:'), 'permission', /guest lacks permission/],
      ['postgres://remora:never-to-be-shown@host:99999/x', 'config', /address of the database/],
      ['mysql://remora:never-to-be-shown@host/x', 'config', /address of the database/],
    ]
    for (const [url, code, words] of cases) {
      const error: unknown = await openPostgres({ url }).catch((error: unknown) => error)
      expect(error, url).toMatchObject({
        code,
        message: expect.stringMatching(words),
        hint: expect.any(String),
      })
      const { message, hint } = error as { message: string; hint: string }
      expect(message + hint + JSON.stringify(error)).not.toContain(server.password)
    }
    web.close()
  })

  it('creates a partition for a month that has none', async () => {
    const { server } = engine()
    const url = await server.createDatabase('months')
    const ledger = await open(url)
    const partitions = () =>
      server.query(`SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass`, 'months')
    expect(await partitions()).toBe('2\n')
    // Pretends that the ledger was opened two months ago.
    await server.query(
      `DO $$ DECLARE name text; BEGIN
         FOR name IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'events'::regclass
         LOOP EXECUTE 'DROP TABLE ' || name; END LOOP; END $$`,
      'months',
    )
    const story = new Story()
    const other = await open(url)
    const added = await Promise.all([
      ledger.append(story.prompt('a')),
      other.append(new Story({ session: 'two' }).prompt('b')),
      ledger.append(new Story({ session: 'three' }).prompt('c')),
    ])
    expect(added.map((each) => each.added)).toEqual([1, 1, 1])
    expect(await partitions()).toBe('2\n')
    expect((await ledger.read()).events.map(({ seq }) => seq)).toEqual([1, 2, 3])
    await Promise.all([ledger.close(), other.close()])
  })

  it('keeps every character of a text in every column, and names of any length', async () => {
    const ledger = await open(await engine().place())
    const odd = 'a\0b\u0001c\u00010000\ud800d\udc00\ud83d\ude00"\\{},NULL\r\n\t'
    const long = `${odd}${'long '.repeat(3000)}`
    const story = new Story({ session: long, source: long })
    const records = [
      { events: [story.event({ type: 'unknown', entity: long, what: odd, raw: odd })], raw: odd },
      ...story.record({ type: 'session', entity: odd, title: odd, cwd: `/${odd}`, model: long }),
      ...story.record({ type: 'tool_use', entity: odd, name: odd, input: { [odd]: odd }, parent: long }),
      ...story.prompt(long, long),
    ]
    expect((await ledger.append(records, { marks: { [odd]: odd, [long]: 1 } })).added).toBe(4)
    expect((await ledger.append(records)).added).toBe(0)
    const page = await ledger.read({ session: story.key, records: true })
    expect(page.events.map(({ event }) => event)).toEqual(records.flatMap(({ events }) => events))
    expect(page.events[0]!.record).toBe(odd)
    expect(await ledger.marks('a\0')).toEqual(
      new Map<string, unknown>([
        [odd, odd],
        [long, 1],
      ]),
    )
    expect(await ledger.session(story.key)).toMatchObject({ title: odd, cwd: `/${odd}`, messages: 1 })
    expect(await ledger.sessions({ idPrefix: 'a\0b', cwd: `/${odd}` })).toHaveLength(1)
    await ledger.close()
  })
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqlite } from '@remora/sqlite'
import { expect, it } from 'vitest'
import { home, ledger, useHome } from './home.test-data.ts'
import { importDesires, importTranscripts } from './index.ts'

useHome()

type Value = string | number | null

/** A database of desire-path with these rows. */
function desirePath(desires: readonly Value[][], invocations: readonly Value[][]): string {
  const file = join(home, 'desires.db')
  const database = openSqlite(file)
  database.exec(`
    CREATE TABLE desires(id TEXT PRIMARY KEY, tool_name TEXT, tool_input TEXT, error TEXT, source TEXT,
      session_id TEXT, cwd TEXT, timestamp TEXT, metadata TEXT, category TEXT);
    CREATE TABLE invocations(id TEXT PRIMARY KEY, source TEXT, instance_id TEXT, host_id TEXT, tool_name TEXT,
      is_error INTEGER, error TEXT, cwd TEXT, timestamp TEXT, metadata TEXT, turn_id TEXT, turn_sequence INTEGER,
      turn_length INTEGER);`)
  const fill = (table: string, rows: readonly Value[][], columns: number) => {
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(',')})`)
    for (const row of rows) insert.run(...row)
  }
  fill('desires', desires, 10)
  fill('invocations', invocations, 13)
  database.close()
  return file
}

const at = '2026-03-05T10:00:00Z'
const desire = (
  id: string,
  source: string,
  session: string | null,
  more: Partial<Record<string, Value>> = {},
) => [
  id,
  more['tool'] ?? 'Bash',
  more['input'] ?? '{"command":"pnpm x"}',
  'Exit code 127\npnpm: not found',
  source,
  session,
  '/home/me/work',
  more['at'] ?? at,
  more['metadata'] ?? null,
  'env-need',
]
const invocation = (id: string, source: string, session: string, failed: number) =>
  [id, source, session, 'host', 'write_file', failed, failed ? 'No' : null].concat([
    '/home/me/work',
    at,
    '{"tool_input":{"file_path":"a"}}',
    null,
    null,
    null,
  ])
const readEvents = async () => (await ledger.read()).events.map(({ event }) => event)

it('imports failed and successful calls once', async () => {
  const file = desirePath(
    [
      desire('d1', 'claude-code', 's', { metadata: '{"tool_use_id":"toolu_1","transcript_path":"/t"}' }),
      desire('d2', 'claude-code', 's'),
      desire('d3', 'kiro', null, { tool: 'execute_bash', input: 'not json' }),
      desire('d4', 'cursor', 's'),
    ],
    [invocation('i1', 'gemini-cli', 'g', 0), invocation('i2', 'gemini-cli', 'g', 1)],
  )
  expect(await importDesires(ledger, file)).toEqual({
    desires: 3,
    invocations: 1,
    events: 11,
    known: 0,
    foreign: { cursor: 1 },
    notes: { aliases: [], mappings: [] },
  })
  const events = await readEvents()
  const time = Date.parse(at)
  expect(events).toMatchObject([
    { type: 'session', agent: 'claude', session: 's', cwd: '/home/me/work', file: '/t' },
    {
      type: 'tool_use',
      entity: 'toolu_1',
      name: 'Bash',
      input: { command: 'pnpm x' },
      at: time,
      origin: { channel: 'hooks', source: 'dp', key: 'd1.0' },
    },
    { type: 'tool_result', entity: 'toolu_1', status: 'error', content: 'Exit code 127\npnpm: not found' },
    { type: 'tool_use', entity: 'dp/d2' },
    { type: 'tool_result', entity: 'dp/d2', status: 'error' },
    { type: 'session', agent: 'kiro', cwd: '/home/me/work' },
    { type: 'tool_use', entity: 'dp/d3', name: 'Bash', native: { name: 'execute_bash', input: 'not json' } },
    { type: 'tool_result', status: 'error' },
    { type: 'session', agent: 'gemini', session: 'g' },
    { type: 'tool_use', entity: 'dp/i1', name: 'Write', native: { input: { file_path: 'a' } } },
    { type: 'tool_result', entity: 'dp/i1', status: 'success' },
  ])
  expect(await importDesires(ledger, file)).toMatchObject({ desires: 3, events: 0 })
})

it('skips sessions whose transcripts are in the ledger', async () => {
  const path = join(home, '.gemini', 'tmp', 'work', 'chats', 'session-2026-01-01T00-00-one.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const header = { sessionId: 'one', projectHash: 'p', startTime: at, lastUpdated: at }
  const prompt = { id: '1', timestamp: at, type: 'user', content: [{ text: 'Hi' }] }
  writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(prompt)}\n`)
  await importTranscripts(ledger, { home, env: {} })
  const file = desirePath([desire('d1', 'gemini-cli', 'one')], [invocation('i1', 'gemini-cli', 'one', 0)])
  expect(await importDesires(ledger, file)).toMatchObject({ desires: 0, invocations: 0, events: 0, known: 2 })
})

it('reads the aliases and mappings', async () => {
  const file = desirePath([], [])
  const database = openSqlite(file)
  database.exec(`
    CREATE TABLE aliases(from_name TEXT, to_name TEXT, tool TEXT, param TEXT, command TEXT, match_kind TEXT,
      message TEXT, created_at TEXT);
    INSERT INTO aliases VALUES ('r', 'R', 'Bash', 'command', 'scp', 'flag', NULL, '${at}');
    CREATE TABLE doc_mappings(id INTEGER PRIMARY KEY, pattern TEXT, doc_path TEXT, created_at TEXT);
    INSERT INTO doc_mappings VALUES (1, 'jq', '/home/me/jq.md', '${at}');`)
  database.close()
  const time = Date.parse(at)
  expect((await importDesires(ledger, file)).notes).toEqual({
    aliases: [
      {
        from: 'r',
        to: 'R',
        tool: 'Bash',
        param: 'command',
        command: 'scp',
        kind: 'flag',
        message: '',
        createdAt: time,
      },
    ],
    mappings: [
      { pattern: 'jq', tool: '', doc: '/home/me/jq.md', excerpt: '', createdAt: time, updatedAt: 0 },
    ],
  })
})

it.each([
  ['2026-03-05T10:00:00Z', 0],
  ['2026-03-05T10:00:00.123456789Z', 123],
  ['2026-03-05T11:00:00+01:00', 0],
  ['2026-03-05 10:00:00.123456789 +0000 UTC', 123],
  ['2026-03-05 11:00:00 +0100 CET m=+0.1', 0],
  [1_772_704_800, 0],
  [1_772_704_800_123, 123],
])('reads the time %s', async (time, milliseconds) => {
  await importDesires(ledger, desirePath([desire('d', 'claude', 's', { at: time })], []))
  expect((await readEvents())[0]?.at).toBe(Date.parse(at) + milliseconds)
})

it('rejects other files', async () => {
  const file = join(home, 'other.db')
  writeFileSync(file, 'no database at all, but long enough to be looked at as one'.repeat(100))
  await expect(importDesires(ledger, file)).rejects.toMatchObject({ code: 'input' })
  const empty = openSqlite(join(home, 'empty.db'))
  empty.exec('CREATE TABLE a(b)')
  empty.close()
  await expect(importDesires(ledger, join(home, 'empty.db'))).rejects.toThrow(/no database of desire-path/)
})

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { scanSpool, writeToSpool } from '@remora/sdk/hooks'
import { openSqlite } from '@remora/sqlite'
import { expect, it } from 'vitest'
import { TestHome } from '../sessions/home.test-data.ts'

const payload = {
  hook_event_name: 'AfterTool',
  session_id: 's',
  cwd: '/home/me/work',
  tool_name: 'run_shell_command',
  tool_input: { command: 'pnpm x' },
  tool_response: { llmContent: 'Output: oops\nExit Code: 127\nProcess Group PGID: 7' },
}
const stdin = (text: unknown, terminal = false) => ({
  stdin: { terminal, read: async () => (typeof text === 'string' ? text : JSON.stringify(text)) },
})

async function eventsIn(home: TestHome) {
  const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
  try {
    return (await ledger.read()).events.map(({ event }) => event)
  } finally {
    await ledger.close()
  }
}

it.each([
  ['ingest', 'gemini'],
  ['ingest', 'gemini-cli'],
  ['record', 'gemini-cli'],
])('remora %s --source %s imports a payload and prints nothing', async (verb, source) => {
  using home = new TestHome()
  const result = await home.remora([verb, '--source', source], stdin(payload))
  expect(result).toMatchObject({ code: 0, out: '', err: '' })
  expect(await eventsIn(home)).toMatchObject([
    { type: 'session', agent: 'gemini', session: 's', cwd: '/home/me/work' },
    { type: 'tool_use', name: 'Bash' },
    { type: 'tool_result', status: 'error' },
  ])
  expect(scanSpool(home.state)).toEqual({ entries: [], unfinished: [] })
})

it('prints the call with --json', async () => {
  using home = new TestHome()
  const { json } = await home.remora(['ingest', '--source', 'gemini', '--json'], stdin(payload))
  expect(json()).toEqual({
    source: 'gemini',
    tool: 'run_shell_command',
    session: 's',
    input: { command: 'pnpm x' },
    cwd: '/home/me/work',
    error: payload.tool_response.llmContent,
    extra: { hook_event_name: 'AfterTool', tool_response: payload.tool_response },
  })
})

it('imports payloads without a tool', async () => {
  using home = new TestHome()
  const start = { hook_event_name: 'SessionStart', session_id: 's', cwd: '/w', source: 'startup' }
  const { json, code } = await home.remora(['ingest', '--source', 'claude-code', '--json'], stdin(start))
  expect([code, json()]).toEqual([0, { source: 'claude', event: 'SessionStart' }])
  expect(await eventsIn(home)).toMatchObject([{ type: 'session', agent: 'claude' }])
})

it.each<[string, string[], object, number, string[]]>([
  [
    'no source',
    [],
    stdin(payload),
    2,
    ['needs --source, or --spool', 'gemini (gemini-cli), claude (claude-code)'],
  ],
  [
    'a strange source',
    ['--source', 'cursor'],
    stdin(payload),
    2,
    ['Unknown source "cursor"', 'kiro (kiro-cli)'],
  ],
  ['both', ['--source', 'gemini', '--spool'], {}, 2, ['cannot be combined']],
  [
    'a terminal',
    ['--source', 'gemini'],
    stdin('', true),
    2,
    ['reads a hook payload (JSON) from standard input', '| remora ingest'],
  ],
  ['no input', ['--source', 'gemini'], {}, 2, ['reads a hook payload (JSON) from standard input']],
  ['an empty input', ['--source', 'gemini'], stdin(' \n'), 1, ['Standard input is empty']],
  ['no JSON', ['--source', 'gemini'], stdin('{"a":'), 1, ['not a JSON object']],
  ['a list', ['--source', 'gemini'], stdin('[]'), 1, ['not a JSON object']],
  [
    'no tool',
    ['--source', 'gemini'],
    stdin({ ...payload, tool_name: undefined }),
    1,
    ['names no tool', 'tool_name'],
  ],
  ['an empty tool', ['--source', 'claude'], stdin({ ...payload, tool_name: '' }), 1, ['names no tool']],
])('refuses %s and stores nothing', async (_name, words, io, code, told) => {
  using home = new TestHome()
  const result = await home.remora(['ingest', ...words], io)
  expect(result.code).toBe(code)
  expect(result.out).toBe('')
  for (const words of told) expect(result.err).toContain(words)
  expect(existsSync(join(home.state, 'spool'))).toBe(false)
})

it('imports the spool and prints a summary', async () => {
  using home = new TestHome()
  expect(await home.remora(['ingest', '--spool'])).toMatchObject({
    code: 0,
    out: 'The hook spool is empty.\n',
  })
  writeToSpool(home.state, 'gemini', JSON.stringify(payload))
  writeToSpool(home.state, 'gemini', '{"broken')
  writeFileSync(join(home.state, 'spool', 'refused'), '\n')
  const { out, err } = await home.remora(['ingest', '--spool'])
  expect(out).toBe('Read 1 payload: 3 new events.\n')
  expect(err).toContain('1 payload could not be read and is kept here:\n  ~/.remora/spool/bad/gemini.')
  expect(err).toContain('1 payload lost: the spool or the disk was full')
  const { json } = await home.remora(['ingest', '--spool', '--json'])
  expect(json()).toEqual({ entries: 0, events: 0, damaged: [], unreadable: [], refused: 0, abandoned: 0 })
})

it('shows spooled hook payloads in read verbs', async () => {
  using home = new TestHome()
  const told = { hook_event_name: 'BeforeAgent', session_id: 'seen-by-hooks', prompt: 'Hello there' }
  writeToSpool(home.state, 'gemini', JSON.stringify(told))
  expect((await home.remora(['sessions'])).out).toContain('Hello there')
  writeToSpool(home.state, 'gemini', JSON.stringify({ ...told, session_id: 'another', prompt: 'Again' }))
  expect((await home.remora(['sessions'])).out).toContain('Again')
  expect(scanSpool(home.state).entries).toEqual([])
})

it('shows all other data if the spool cannot be read', async () => {
  using home = new TestHome()
  writeToSpool(home.state, 'gemini', '{"broken')
  writeFileSync(join(home.state, 'spool', 'bad'), 'no folder')
  const { code, err } = await home.remora(['sessions'])
  expect(code).toBe(0)
  expect(err).toContain('1 hook payload could not be read\n  List them: remora hooks ingest --spool\n')
  expect(scanSpool(home.state).entries).toHaveLength(1)
})

it('does not create a spool', async () => {
  using home = new TestHome()
  expect((await home.remora(['ingest', '--spool'])).out).toBe('The hook spool is empty.\n')
  expect((await home.remora(['ingest', '--spool', '--json'])).json()).toMatchObject({ entries: 0 })
  expect(existsSync(join(home.state, 'spool'))).toBe(false)
})

it('imports aliases and mappings of desire-path beside existing ones', async () => {
  using home = new TestHome()
  const file = join(home.path, 'desires.db')
  const database = openSqlite(file)
  database.exec(`
    CREATE TABLE desires(id, tool_name, tool_input, error, source, session_id, cwd, timestamp, metadata, category);
    CREATE TABLE invocations(id, source, instance_id, tool_name, is_error, cwd, timestamp, metadata);
    CREATE TABLE aliases(from_name, to_name, tool, param, command, match_kind, message, created_at);
    INSERT INTO aliases VALUES
      ('read_files', 'Read', '', '', '', '', '', '2026-03-05T10:00:00Z'),
      ('r', 'R', 'Bash', 'command', 'scp', 'flag', 'scp has -R', '2026-03-05T10:00:00Z'),
      ('pip', 'pip9', 'Bash', 'command', 'pip', 'command', '', '2026-03-05T10:00:00Z'),
      ('teh', 'the', 'Edit', 'new_string', '', 'literal', '', '2026-03-05T10:00:00Z'),
      ('x', 'y', '', '', '', 'fuzzy', '', '2026-03-05T10:00:00Z');
    CREATE TABLE doc_mappings(id, pattern, tool, doc_path, doc_excerpt, match_count, created_at, updated_at);
    INSERT INTO doc_mappings VALUES
      (1, 'jq', 'Bash', '~/jq.md', 'Use jq', 3, '2026-03-05T10:00:00Z', '2026-03-06T10:00:00Z'),
      (2, 'Docker', '', 'https://docs.example/docker', NULL, 0, '2026-03-05T10:00:00Z', NULL);`)
  database.close()
  await home.remora(['alias', 'pip', 'pip3', '--replace'])
  await home.remora(['map', 'docker', '--doc', 'https://mine.example'])
  const { out, err } = await home.remora(['import', '--from-dp', file])
  expect(out).toContain('Imported 3 aliases: remora alias\n1 alias skipped: Remora already has one')
  expect(out).toContain('Imported 1 mapping: remora desires map\n1 mapping skipped: Remora already has one')
  expect(err).toContain('Skipped alias x → y: There are no aliases of the kind "fuzzy"')
  const createdAt = '2026-03-05T10:00:00.000Z'
  expect((await home.remora(['aliases', '--json'])).json()).toMatchObject([
    { from: 'pip', to: 'pip3' },
    { kind: 'tool', from: 'read_files', to: 'Read', createdAt },
    { kind: 'flag', command: 'scp', from: '-r', to: '-R', message: 'scp has -R', createdAt },
    { kind: 'literal', tool: 'Edit', param: 'new_string', from: 'teh', to: 'the' },
  ])
  expect((await home.remora(['mappings', '--json'])).json()).toMatchObject([
    { pattern: 'docker', doc: 'https://mine.example' },
    { pattern: 'jq', tool: 'Bash', doc: join(home.path, 'jq.md'), excerpt: 'Use jq', createdAt },
  ])
  const again = await home.remora(['import', '--from-dp', file, '--json'])
  expect(again.json()).toMatchObject({ aliases: { added: 0, kept: 4 }, mappings: { added: 0, kept: 2 } })
})

it('imports the calls of desire-path, or reports a missing database', async () => {
  using home = new TestHome()
  const none = await home.remora(['import', '--from-dp'])
  expect(none).toMatchObject({ code: 1, out: '' })
  expect(none.err).toContain('~/.dp/desires.db')
  expect((await home.remora(['import', 'file.db'])).code).toBe(2)
})

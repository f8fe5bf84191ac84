import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestHome, hello, shell } from '../sessions/home.test-data.ts'

// What the verbs print of a session with hostile texts, and of an intact one beside it.

const nasty =
  'evil\u001B]52;c;ZXZpbA==\u0007 \u001B[2J\u001B[8mhidden\u001B[0m \u009B31m \u202Etxt.exe\u202C \u2066x\u2069 \u200B\uFEFF\r\u0008\u0000 👩‍👩‍👧 end'
// oxlint-disable-next-line no-control-regex -- it must match control characters
const control = /\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/
const hidden = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/
// oxlint-disable-next-line no-control-regex -- it must match our own colors
const colours = /\u001B\[(?:1|2|22|31|32|33|36|39)m/g

const id = 'eeee1111-0000-4000-8000-000000000009'
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

function records(): string {
  const base = (uuid: string, parentUuid: string | null, second: number) => ({
    uuid,
    parentUuid,
    sessionId: id,
    cwd: `/work/${nasty}`,
    version: nasty,
    timestamp: `2026-10-03T10:00:0${second}.000Z`,
  })
  const call = { type: 'tool_use', id: 't', name: nasty, input: { command: nasty, [nasty]: nasty } }
  const edit = {
    type: 'tool_use',
    id: 'e',
    name: 'Edit',
    input: { file_path: nasty, old_string: nasty, new_string: 'x' },
  }
  const answer = {
    id: 'm',
    model: nasty,
    role: 'assistant',
    content: [{ type: 'text', text: nasty }, call, edit],
  }
  const result = { type: 'tool_result', tool_use_id: 't', content: nasty, is_error: true }
  const lines = [
    { ...base('1', null, 1), type: 'user', message: { role: 'user', content: `needle ${nasty}` } },
    { ...base('2', '1', 2), type: 'assistant', message: answer },
    { ...base('3', '2', 3), type: 'user', message: { role: 'user', content: [result] } },
    { ...base('4', '3', 4), type: 'user', message: { role: 'user', content: 'DEEP' } },
    { ...base('5', '4', 5), type: 'system', subtype: 'info', content: nasty },
    { type: 'custom-title', customTitle: nasty, sessionId: id },
  ]
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return `${text.replace('"DEEP"', nested(6_000))}${nested(20_000)}\n${nasty.replaceAll('\n', '')}\n`
}

let home: TestHome
beforeAll(async () => {
  home = new TestHome()
  await home.add(hello)
  await home.add(shell)
  home.write(join(home.path, '.claude/projects/-work', `${id}.jsonl`), records())
})
afterAll(() => home[Symbol.dispose]())

const lines: string[][] = [
  ['import'],
  ['sessions'],
  ['sessions', '--all'],
  ['show', id],
  ['show', id, '--all', '--thinking'],
  ['show', id, '--markdown'],
  ['show', id, '--html'],
  ['search', 'needle'],
  ['search', 'hidden'],
  ['usage'],
  ['usage', '--by', 'model'],
  ['desires'],
  ['desires', 'list'],
  ['desires', 'export', '--format', 'csv'],
  ['suggest'],
  ['trace', id],
  ['resume', id, '--print'],
  ['show', nasty],
  ['show', '/'.repeat(10_000) + 'x'.repeat(10_000)],
  ['no\u202Esuch'],
]
const jsonLines = [
  ['sessions', '--json'],
  ['show', id, '--json'],
  ['show', id, '--raw'],
  ['search', 'needle', '--json'],
  ['usage', '--by', 'model', '--json'],
  ['desires', '--json'],
  ['desires', 'export'],
]

describe.each([
  ['in a pipe', { terminal: false }],
  ['on a terminal', { terminal: true, errorTerminal: true, columns: 100 }],
])('%s', (_, io) => {
  it.each(lines.map((words) => [words.join(' ').slice(0, 40), words] as const))(
    'remora %s prints no control or hidden character',
    async (_title, words) => {
      const { out, err } = await home.remora(words, io)
      const text = io.terminal ? (out + err).replaceAll(colours, '').replaceAll('\r\u001B[K', '') : out + err
      expect(text).not.toMatch(control)
      expect(text).not.toMatch(hidden)
      expect(err).not.toContain('This is a bug')
    },
  )

  it.each(jsonLines.map((words) => [words.join(' '), words] as const))(
    'remora %s escapes them',
    async (_title, words) => {
      const { code, out } = await home.remora(words, io)
      expect(code).toBe(0)
      expect(out).not.toMatch(control)
      expect(out).not.toMatch(hidden)
      const values = words.includes('--raw') ? out.trim().split('\n') : [out]
      const parsed = values.map((value) => JSON.stringify(JSON.parse(value))).join('')
      if (words[0] === 'show' || words[0] === 'search') expect(parsed).toContain('\u202Etxt.exe')
    },
  )
})

it('marks hidden characters and keeps ordinary ones readable', async () => {
  const { out } = await home.remora(['show', id])
  expect(out).toContain('⟨U+202E⟩txt.exe⟨U+202C⟩')
  expect(out).toContain('👩‍👩‍👧 end')
})

it('shows intact sessions, and the number of unreadable records', async () => {
  expect((await home.remora(['show', hello.id])).out).toContain('Hello')
  const { err } = await home.remora(['show', id])
  expect(err).toContain('3 records could not be read')
})

it('writes to standard output and error only through Io', () => {
  // These files pass the terminal to another program, show one, or write a protocol.
  const allowed = [
    'bin.ts',
    'live/attach-terminal.ts',
    'run/chat/at-terminal.ts',
    'run/relay-editor.ts',
    'run/verbs.ts',
  ]
  const folder = join(import.meta.dirname, '..')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const found = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.includes('test') &&
      /^(?! *\*).*(?:process\.std(?:out|err)\b|\} = process$)/m.test(
        readFileSync(join(folder, file), 'utf8'),
      ),
  )
  expect(found.toSorted()).toEqual(allowed)
})

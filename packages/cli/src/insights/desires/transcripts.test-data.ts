import { join } from 'node:path'
import type { TestHome } from '../../sessions/home.test-data.ts'

/** A tool call for a transcript, with an error or an output. */
export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly error?: string
  readonly output?: string
}

/** A session of Claude or Gemini: a list of calls for each prompt. */
export interface Transcript {
  readonly id: string
  /** The start time. Each call is a minute later than the previous one. */
  readonly at: number
  readonly cwd?: string
  readonly turns: readonly (readonly ToolCall[])[]
}

const minute = 60_000

/** Writes a session to Claude's folder. */
export function writeClaudeSession(home: Pick<TestHome, 'path' | 'write'>, session: Transcript): void {
  const { id, at, cwd = '/home/me/app', turns } = session
  let count = 0
  const lines: unknown[] = []
  const add = (record: Readonly<Record<string, unknown>>): void => {
    const uuid = `${id.slice(0, 24)}${String(lines.length).padStart(12, '0')}`
    const parent = (lines.at(-1) as { uuid: string } | undefined)?.uuid ?? null
    const timestamp = new Date(at + count * minute).toISOString()
    lines.push({
      parentUuid: parent,
      isSidechain: false,
      ...record,
      uuid,
      timestamp,
      cwd,
      sessionId: id,
      version: '2.1.197',
    })
  }
  for (const calls of turns) {
    add({ type: 'user', message: { role: 'user', content: `Do number ${lines.length}.` } })
    for (const { tool, input, error, output = 'done' } of calls) {
      const use = `toolu_${id.slice(0, 8)}_${count}`
      const content = [{ type: 'tool_use', id: use, name: tool, input }]
      add({
        type: 'assistant',
        message: { id: `msg_${use}`, type: 'message', role: 'assistant', model: 'claude-opus-4-8', content },
      })
      count++
      const result = {
        type: 'tool_result',
        content: error ?? output,
        is_error: error !== undefined,
        tool_use_id: use,
      }
      add({ type: 'user', message: { role: 'user', content: [result] }, toolUseResult: error ?? output })
    }
  }
  home.write(join(home.path, '.claude/projects/-home-me-app', `${id}.jsonl`), jsonLines(lines))
}

/** Writes a session to Gemini's folder. */
export function writeGeminiSession(home: Pick<TestHome, 'path' | 'write'>, session: Transcript): void {
  const { id, at, turns } = session
  let count = 0
  const time = (): string => new Date(at + count * minute).toISOString()
  const lines: unknown[] = [
    { sessionId: id, projectHash: '0'.repeat(64), startTime: time(), lastUpdated: time(), kind: 'main' },
  ]
  for (const [index, calls] of turns.entries()) {
    lines.push({
      id: `${id}-p${index}`,
      timestamp: time(),
      type: 'user',
      content: [{ text: `Do number ${index}.` }],
    })
    for (const { tool, input, error, output = 'done' } of calls) {
      const use = `${tool}_${id.slice(0, 8)}_${count}`
      const response = error === undefined ? { output } : { error }
      const call = {
        id: use,
        name: tool,
        args: input,
        status: error === undefined ? 'success' : 'error',
        timestamp: time(),
        result: [{ functionResponse: { id: use, name: tool, response } }],
      }
      lines.push({
        id: `${id}-a${count}`,
        timestamp: time(),
        type: 'gemini',
        content: '',
        thoughts: [],
        model: 'gemini-3.8-flash',
        toolCalls: [call],
      })
      count++
    }
  }
  const name = `session-${new Date(at).toISOString().slice(0, 16).replace(':', '-')}-${id.slice(0, 8)}.jsonl`
  home.write(join(home.path, '.gemini/tmp/app/chats', name), jsonLines(lines))
}

function jsonLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

const notFound = (command: string): string =>
  `Exit code 127\n/bin/bash: line 1: ${command}: command not found`
export const shell = (command: string, error?: string): ToolCall => ({
  tool: 'Bash',
  input: { command },
  ...(error === undefined ? {} : { error }),
})

/** Writes sessions with every kind of failure, the last of them an hour before `now`. */
export function writeFailures(home: Pick<TestHome, 'path' | 'write'>, now: number): void {
  const day = 86_400_000
  const edit = { file_path: '/home/me/app/src/main.ts', old_string: 'let a = 1', new_string: 'const a = 1' }
  const looking: ToolCall[] = [
    { tool: 'Grep', input: { pattern: 'main' } },
    { tool: 'Read', input: { file_path: '/home/me/app/src/main.ts' } },
    { tool: 'Read', input: { file_path: '/home/me/app/src/io.ts' } },
    { tool: 'Edit', input: { ...edit, old_string: 'a' } },
  ]
  writeClaudeSession(home, {
    id: '1aaa2222-0000-4000-8000-000000000001',
    at: now - 20 * day,
    turns: [
      [
        ...looking,
        shell('cat package.json | jq .name', notFound('jq')),
        shell('cat package.json | node -p .name'),
      ],
      [
        shell(
          'npm test',
          'Exit code 1\n FAIL  src/main.test.ts > adds\n\n Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)',
        ),
      ],
    ],
  })
  writeClaudeSession(home, {
    id: '2aaa2222-0000-4000-8000-000000000002',
    at: now - 6 * day,
    turns: [
      [
        ...looking,
        { tool: 'Edit', input: edit, error: 'String to replace not found in file.\nString: let a = 1' },
        {
          tool: 'Edit',
          input: { ...edit, old_string: 'let a  = 1' },
          error: 'String to replace not found in file.\nString: let a  = 1',
        },
        { tool: 'Read', input: { file_path: '/home/me/app/src/main.ts' } },
        { tool: 'Edit', input: { ...edit, old_string: 'let a = 2' } },
      ],
      [
        shell('jq -r .version package.json', notFound('jq')),
        shell('jq .name package.json', notFound('jq')),
        shell(
          'curl -H "Authorization: Bearer abcdefghijklmnop1234" http://127.0.0.1:9/',
          'Exit code 7\ncurl: (7) Failed to connect to 127.0.0.1 port 9: Connection refused',
        ),
        {
          tool: 'Read',
          input: { file_path: '/home/me/app/src/nope.ts' },
          error: 'File does not exist. Note: your current working directory is /home/me/app.',
        },
      ],
    ],
  })
  writeClaudeSession(home, {
    id: '3aaa2222-0000-4000-8000-000000000003',
    at: now - 3_600_000,
    turns: [
      [
        ...looking,
        shell('jq . a.json', notFound('jq')),
        shell('deploy', 'Exit code 1\n/bin/bash: line 1: DEPLOY_TOKEN: unbound variable'),
        {
          tool: 'SearchFiles',
          input: { query: 'x' },
          error: '<tool_use_error>Error: No such tool available: SearchFiles</tool_use_error>',
        },
      ],
    ],
  })
  writeGeminiSession(home, {
    id: 'bbbb2222-0000-4000-8000-000000000001',
    at: now - 2 * day,
    turns: [
      [
        {
          tool: 'read_file',
          input: { file_path: 'nope.txt' },
          error: 'File not found: /home/me/app/nope.txt',
        },
        { tool: 'list_directory', input: { dir_path: '.' }, output: 'note.txt' },
        { tool: 'read_file', input: { file_path: 'note.txt' } },
        {
          tool: 'search_files',
          input: { pattern: 'x' },
          error:
            'Tool "search_files" not found in registry. Tools must use the exact names that are registered. Did you mean "grep_search"?',
        },
        { tool: 'mcp_issues_find', input: { text: 'x' }, output: '[]' },
      ],
    ],
  })
}

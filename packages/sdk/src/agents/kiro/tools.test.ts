import { expect, it } from 'vitest'
import { toClaude } from './tools.ts'

it.each<[string, unknown, string, unknown]>([
  ['fs_read', { operations: [{ path: '/a' }] }, 'Read', { file_path: '/a' }],
  ['fs_read', 'x', 'Read', 'x'],
  ['fs_read', { mode: 'x' }, 'Read', { mode: 'x' }],
  ['fs_write', { command: 'create', path: '/a', file_text: 'x' }, 'Write', { file_path: '/a', content: 'x' }],
  [
    'fs_write',
    { command: 'str_replace', path: '/a', old_str: 'x', new_str: 'y' },
    'Edit',
    { file_path: '/a', old_string: 'x', new_string: 'y' },
  ],
  ['fs_write', { command: 'append', path: '/a', new_str: 'y' }, 'Write', { command: 'append', path: '/a' }],
  ['execute_bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['@postgres/query', { sql: 'x' }, 'mcp__postgres__query', { sql: 'x' }],
  ['use_aws', { a: 1 }, 'use_aws', { a: 1 }],
])('%s %j', (name, input, expected, mapped) => {
  const call = toClaude(name, input)
  expect(call.name).toBe(expected)
  expect(typeof mapped === 'string' ? { mapped: call.input } : call.input).toMatchObject(
    typeof mapped === 'string' ? { mapped } : (mapped as object),
  )
})

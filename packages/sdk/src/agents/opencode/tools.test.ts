import { expect, it } from 'vitest'
import { toClaude } from './tools.ts'

it.each<[string, unknown, unknown]>([
  ['bash', { command: 'ls' }, { name: 'Bash', input: { command: 'ls' } }],
  ['read', { filePath: '/a', offset: 1 }, { name: 'Read', input: { file_path: '/a', offset: 1 } }],
  ['write', { filePath: '/a', content: 'x' }, { name: 'Write', input: { file_path: '/a', content: 'x' } }],
  [
    'edit',
    { filePath: '/a', oldString: 'x', newString: 'y', replaceAll: true },
    { name: 'Edit', input: { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true } },
  ],
  [
    'multiedit',
    { filePath: '/a', edits: [{ oldString: 'x' }, 1] },
    { name: 'MultiEdit', input: { file_path: '/a', edits: [{ old_string: 'x' }, 1] } },
  ],
  ['list', { path: '/a' }, { name: 'Glob', input: { pattern: '*', path: '/a' } }],
  ['grep', { pattern: 'x', include: '*.ts' }, { name: 'Grep', input: { pattern: 'x', glob: '*.ts' } }],
  ['todowrite', { todos: [] }, { name: 'TodoWrite', input: { todos: [] } }],
  ['task', { prompt: 'x' }, { name: 'Task', input: { prompt: 'x' } }],
  ['read', 'odd', { name: 'Read', input: 'odd' }],
  ['constructor', {}, { name: 'constructor', input: {} }],
  ['my_docs_find_all', {}, { name: 'mcp__my_docs__find_all', input: {} }],
])('%s %j', (name, input, expected) => {
  expect(toClaude(name, input, ['docs', 'my_docs'])).toEqual(expected)
})

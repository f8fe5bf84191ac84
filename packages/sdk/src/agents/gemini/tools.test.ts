import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toClaude } from './tools.ts'

describe('mapping a tool call to Claude’s tools', () => {
  it.each([
    ['read_file', { absolute_path: '/a' }, 'Read', { file_path: '/a' }],
    [
      'read_file',
      { file_path: 'a', start_line: 3, end_line: 5 },
      'Read',
      { file_path: 'a', offset: 3, limit: 3 },
    ],
    [
      'read_many_files',
      { include: ['a.ts', 'b/*.ts'] },
      'Read',
      { file_path: 'a.ts', include: ['a.ts', 'b/*.ts'] },
    ],
    ['read_many_files', { paths: [] }, 'Read', { paths: [] }],
    ['write_file', { file_path: 'a', content: 'b' }, 'Write', { file_path: 'a', content: 'b' }],
    [
      'replace',
      { instruction: 'i', file_path: 'a', old_string: 'b', new_string: 'c', allow_multiple: true },
      'Edit',
      { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true },
    ],
    [
      'run_shell_command',
      { command: 'ls', is_background: true },
      'Bash',
      { command: 'ls', run_in_background: true },
    ],
    ['list_directory', { dir_path: 'src' }, 'Glob', { pattern: '*', path: 'src' }],
    [
      'grep_search',
      { pattern: 'x', dir_path: 'src', include: '*.ts' },
      'Grep',
      { pattern: 'x', path: 'src', glob: '*.ts' },
    ],
    ['search_file_content', { pattern: 'x' }, 'Grep', { pattern: 'x' }],
    [
      'web_fetch',
      { prompt: 'Sum up https://a.example/b please' },
      'WebFetch',
      { url: 'https://a.example/b', prompt: 'Sum up https://a.example/b please' },
    ],
    [
      'write_todos',
      { todos: [{ description: 'a', status: 'pending' }] },
      'TodoWrite',
      { todos: [{ content: 'a', status: 'pending' }] },
    ],
    ['mcp_lab_echo', { text: 'a' }, 'mcp__lab__echo', { text: 'a' }],
    ['update_topic', { title: 'a' }, 'update_topic', { title: 'a' }],
  ])('%s %j', (native, input, name, expected) => {
    expect(toClaude(native, input)).toEqual({ name, input: expected })
  })

  it('never throws and leaves other values unchanged', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('read_file', 'replace', 'write_todos', 'web_fetch', '__proto__'),
    )
    fc.assert(
      fc.property(name, fc.jsonValue(), (native, input) => {
        const call = toClaude(native, input)
        expect(call.name).toBeTypeOf('string')
        if (typeof input !== 'object' || input === null || Array.isArray(input))
          expect(call.input).toEqual(input)
      }),
    )
  })
})

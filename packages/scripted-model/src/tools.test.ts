import { describe, expect, it } from 'vitest'
import type { WireName } from './log.ts'
import { nativeCall } from './tools.ts'

const declare = (name: string, parameters: string[] = []): { name: string; parameters: string[] }[] => [
  { name, parameters },
]

const edit = { name: 'Edit', input: { file_path: 'a.txt', old_string: 'old', new_string: 'new\nlines' } }

describe('what the CLI declares decides', () => {
  it.each<[string, Record<string, unknown>]>([
    ['Edit', { file_path: '/w/a.txt', old_string: 'old', new_string: 'new\nlines' }],
    ['replace', { instruction: 'Change the text.', ...edit.input }],
    ['edit', { filePath: '/w/a.txt', oldString: 'old', newString: 'new\nlines' }],
    [
      'exec_command',
      {
        cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n+lines\n*** End Patch\nEOF",
      },
    ],
  ])('Edit as %s', (name, input) => {
    expect(nativeCall(edit, 'other', declare(name), '/w')).toEqual({ name, input })
  })

  it('follows the names of parameters, which change with the version', () => {
    const grep = { name: 'Grep', input: { pattern: 'x', path: 'src', glob: '*.ts' } }
    expect(
      nativeCall(grep, 'gemini', declare('grep_search', ['dir_path', 'include_pattern']), '/w').input,
    ).toEqual({
      pattern: 'x',
      dir_path: 'src',
      include_pattern: '*.ts',
    })
    expect(nativeCall(grep, 'gemini', declare('search_file_content', ['path']), '/w').input).toEqual({
      pattern: 'x',
      path: 'src',
      include: '*.ts',
    })
    const read = { name: 'Read', input: { file_path: 'a', offset: 3, limit: 2 } }
    expect(nativeCall(read, 'gemini', declare('read_file', ['start_line']), '/w').input).toEqual({
      file_path: 'a',
      start_line: 3,
      end_line: 4,
    })
    expect(nativeCall(read, 'gemini', declare('read_file', ['offset']), '/w').input).toEqual(read.input)
  })

  it('quotes what it gives a shell', () => {
    const grep = { name: 'Grep', input: { pattern: "it's" } }
    expect(nativeCall(grep, 'responses', declare('exec_command'), '/w').input).toEqual({
      cmd: `grep -rn 'it'\\''s' .`,
    })
  })

  it.each([
    ['mcp__tiny__add', 'mcp__tiny__add'],
    ['mcp__tiny__add', 'mcp_tiny_add'],
    ['mcp__tiny__add', 'tiny_add'],
  ])('%s as %s', (name, native) => {
    expect(nativeCall({ name, input: {} }, 'other', declare(native), undefined).name).toBe(native)
  })

  it('maps a list of things to do', () => {
    const call = { name: 'TodoWrite', input: { todos: [{ content: 'a', status: 'pending' }] } }
    const as = (name: string): unknown => nativeCall(call, 'other', declare(name), undefined).input
    expect(as('write_todos')).toEqual({ todos: [{ description: 'a', status: 'pending' }] })
    expect(as('update_plan')).toEqual({ plan: [{ step: 'a', status: 'pending' }] })
    expect(as('todowrite')).toEqual({ todos: [{ content: 'a', status: 'pending', priority: 'medium' }] })
  })
})

it.each<[WireName, string]>([
  ['gemini', 'run_shell_command'],
  ['anthropic', 'Bash'],
  ['responses', 'exec_command'],
  ['chat', 'bash'],
])('%s calls %s when nothing is declared', (wire, name) => {
  expect(nativeCall({ name: 'Bash', input: { command: 'ls' } }, wire, [], undefined).name).toBe(name)
})

it('sends a native call as it is, with the directory put in', () => {
  const call = { native: 'odd', input: { paths: ['{cwd}/a'], deep: { at: '{cwd}' }, count: 1 } }
  expect(nativeCall(call, 'gemini', [], '/w')).toEqual({
    name: 'odd',
    input: { paths: ['/w/a'], deep: { at: '/w' }, count: 1 },
  })
  expect(nativeCall(call, 'gemini', [], undefined).input).toEqual(call.input)
})

import { describe, expect, it } from 'vitest'
import type { WireName } from './log.ts'
import { toNativeCall } from './tools.ts'

const declare = (name: string, parameters: string[] = []): { name: string; parameters: string[] }[] => [
  { name, parameters },
]

const edit = { name: 'Edit', input: { file_path: 'a.txt', old_string: 'old', new_string: 'new\nlines' } }

describe('uses the tools that the CLI declares', () => {
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
    expect(toNativeCall(edit, 'other', declare(name), '/w')).toEqual({ name, input })
  })

  it('uses the declared parameter names, which differ between versions', () => {
    const grep = { name: 'Grep', input: { pattern: 'x', path: 'src', glob: '*.ts' } }
    expect(
      toNativeCall(grep, 'gemini', declare('grep_search', ['dir_path', 'include_pattern']), '/w').input,
    ).toEqual({
      pattern: 'x',
      dir_path: 'src',
      include_pattern: '*.ts',
    })
    expect(toNativeCall(grep, 'gemini', declare('search_file_content', ['path']), '/w').input).toEqual({
      pattern: 'x',
      path: 'src',
      include: '*.ts',
    })
    const read = { name: 'Read', input: { file_path: 'a', offset: 3, limit: 2 } }
    expect(toNativeCall(read, 'gemini', declare('read_file', ['start_line']), '/w').input).toEqual({
      file_path: 'a',
      start_line: 3,
      end_line: 4,
    })
    expect(toNativeCall(read, 'gemini', declare('read_file', ['offset']), '/w').input).toEqual(read.input)
  })

  it('gives pi its own field names', () => {
    const write = { name: 'Write', input: { file_path: 'a', content: '' } }
    expect(toNativeCall(write, 'chat', declare('write', ['path', 'content']), '/w')).toEqual({
      name: 'write',
      input: { path: '/w/a', content: '' },
    })
    expect(toNativeCall(edit, 'chat', declare('edit', ['path', 'edits']), '/w').input).toEqual({
      path: '/w/a.txt',
      edits: [{ oldText: 'old', newText: 'new\nlines' }],
    })
    const grep = { name: 'Grep', input: { pattern: 'x', glob: '*.ts' } }
    expect(toNativeCall(grep, 'chat', declare('grep', ['glob']), '/w').input).toEqual(grep.input)
  })

  it('gives Qwen absolute paths and Claude’s field names', () => {
    const native = { name: 'edit', input: { ...edit.input, file_path: '/w/a.txt' } }
    expect(toNativeCall(edit, 'chat', declare('edit', ['file_path']), '/w')).toEqual(native)
    const write = { name: 'Write', input: { file_path: 'a', content: '' } }
    expect(toNativeCall(write, 'chat', declare('write_file'), '/w').input).toMatchObject({
      file_path: '/w/a',
    })
    expect(toNativeCall(write, 'gemini', declare('write_file'), '/w').input).toMatchObject({ file_path: 'a' })
    expect(toNativeCall(write, 'chat', declare('read_file'), '/w').name).toBe('write_file')
    const mcp = { name: 'mcp__tiny__add', input: {} }
    expect(toNativeCall(mcp, 'chat', declare('read_file'), '/w').name).toBe('mcp__tiny__add')
  })

  it('gives Copilot absolute paths and its own field names', () => {
    expect(toNativeCall(edit, 'chat', declare('edit', ['path', 'old_str']), '/w').input).toEqual({
      path: '/w/a.txt',
      old_str: 'old',
      new_str: 'new\nlines',
    })
    const write = { name: 'Write', input: { file_path: 'a', content: 'x' } }
    expect(toNativeCall(write, 'chat', declare('create'), '/w')).toEqual({
      name: 'create',
      input: { path: '/w/a', file_text: 'x' },
    })
    const read = (input: object) =>
      toNativeCall({ name: 'Read', input: { file_path: 'a', ...input } }, 'chat', declare('view'), '/w').input
    expect(read({})).toEqual({ path: '/w/a' })
    expect(read({ offset: 3, limit: 2 })).toEqual({ path: '/w/a', view_range: [3, 4] })
    expect(read({ offset: 3 })).toEqual({ path: '/w/a', view_range: [3, -1] })
  })

  it('gives Kimi its own field names, although its tools have the names of Claude', () => {
    const native = (name: string, input: object, ...parameters: string[]) =>
      toNativeCall({ name, input: { ...input } }, 'chat', declare(name, parameters), '/w').input
    expect(native('Read', { file_path: 'a', offset: 3 }, 'path')).toEqual({ path: 'a', line_offset: 3 })
    expect(native('Write', { file_path: 'a', content: 'x' }, 'file_path')).toEqual({
      file_path: '/w/a',
      content: 'x',
    })
    const command = { command: 'ls', dangerouslyDisableSandbox: true }
    expect(native('Bash', command, 'command', 'disable_timeout')).toEqual({ command: 'ls' })
    expect(native('Bash', command, 'command')).toEqual(command)
    const todos = [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'pending' },
    ]
    const list = { name: 'TodoWrite', input: { todos } }
    expect(toNativeCall(list, 'chat', declare('TodoList'), '/w').input).toEqual({
      todos: [
        { title: 'a', status: 'done' },
        { title: 'b', status: 'pending' },
      ],
    })
  })

  it('quotes shell arguments', () => {
    const grep = { name: 'Grep', input: { pattern: "it's" } }
    expect(toNativeCall(grep, 'responses', declare('exec_command'), '/w').input).toEqual({
      cmd: `grep -rn 'it'\\''s' .`,
    })
  })

  it.each([
    ['mcp__tiny__add', 'mcp__tiny__add'],
    ['mcp__tiny__add', 'mcp_tiny_add'],
    ['mcp__tiny__add', 'tiny_add'],
    ['mcp__tiny__add', 'tiny-add'],
  ])('%s as %s', (name, native) => {
    expect(toNativeCall({ name, input: {} }, 'other', declare(native), undefined).name).toBe(native)
  })

  it('maps a to-do list', () => {
    const call = { name: 'TodoWrite', input: { todos: [{ content: 'a', status: 'pending' }] } }
    const as = (name: string): unknown => toNativeCall(call, 'other', declare(name), undefined).input
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
  expect(toNativeCall({ name: 'Bash', input: { command: 'ls' } }, wire, [], undefined).name).toBe(name)
})

it('sends a native call unchanged, except for the directory', () => {
  const call = { native: 'odd', input: { paths: ['{cwd}/a'], deep: { at: '{cwd}' }, count: 1 } }
  expect(toNativeCall(call, 'gemini', [], '/w')).toEqual({
    name: 'odd',
    input: { paths: ['/w/a'], deep: { at: '/w' }, count: 1 },
  })
  expect(toNativeCall(call, 'gemini', [], undefined).input).toEqual(call.input)
})

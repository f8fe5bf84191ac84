import { expect, it } from 'vitest'
import { toClaude } from './tools.ts'

it.each([
  ["/bin/bash -lc 'ls -l'", 'ls -l'],
  [`/bin/bash -lc "echo 'a b' \\"c\\" "'$HOME; exit 3'`, `echo 'a b' "c" $HOME; exit 3`],
  ['/bin/zsh -lc pwd', 'pwd'],
  ["sh -c 'a\nb'", 'a\nb'],
  [String.raw`bash -lc a\ b`, 'a b'],
  ["/bin/bash -lc 'no end", "/bin/bash -lc 'no end"],
  ['/bin/bash -lc "no end', '/bin/bash -lc "no end'],
  ['git log -c x', 'git log -c x'],
  ['bash -lc a b', 'bash -lc a b'],
  ['', ''],
])('reads the command of %j as %j', (command, expected) => {
  expect(toClaude('command_execution', { command, cwd: '/w' })).toEqual({
    name: 'Bash',
    input: { command: expected, cwd: '/w' },
  })
})

it.each<[string, unknown, unknown]>([
  [
    'file_change',
    { changes: [{ path: '/a', kind: 'add' }] },
    { name: 'Write', input: { file_path: '/a', changes: [{ path: '/a', kind: 'add' }] } },
  ],
  [
    'file_change',
    {
      changes: [
        { path: '/a', kind: 'add' },
        { path: '/b', kind: 'update' },
      ],
    },
    { name: 'Edit', input: expect.objectContaining({ file_path: '/a' }) },
  ],
  ['file_change', { changes: [1] }, { name: 'Edit', input: { changes: [1] } }],
  ['file_change', null, { name: 'Edit', input: null }],
  [
    'mcp_tool_call',
    { server: 'docs', tool: 'find', arguments: { q: 'x' } },
    { name: 'mcp__docs__find', input: { q: 'x' } },
  ],
  ['web_search', { query: 'x' }, { name: 'WebSearch', input: { query: 'x' } }],
  [
    'todo_list',
    { items: [{ text: 'a', completed: false, extra: 1 }, 'odd'] },
    { name: 'TodoWrite', input: { todos: [{ content: 'a', status: 'pending', extra: 1 }, 'odd'] } },
  ],
  ['collab_tool_call', { tool: 'spawn_agent', prompt: 'x' }, { name: 'Task', input: expect.anything() }],
  ['collab_tool_call', { tool: 'wait_agent' }, { name: 'wait_agent', input: expect.anything() }],
  ['command_execution', { command: 1 }, { name: 'Bash', input: { command: 1 } }],
  ['hologram', [1], { name: 'hologram', input: [1] }],
])('converts %s %j', (name, input, expected) => {
  expect(toClaude(name, input)).toEqual(expected)
})

import { expect, it } from 'vitest'
import { toClaude, toClaudeCall } from './tools.ts'

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

const patch = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch'
const added = (path: string) => ({ file_path: path, changes: [{ path, kind: 'add' }] })
const call = (name: string, input: unknown, namespace?: string, cwd = '/w') =>
  toClaudeCall({ name, input, namespace, cwd })

it.each<[string, unknown, string, unknown]>([
  ['exec_command', { cmd: 'echo x', justification: 'y' }, 'Bash', { command: 'echo x' }],
  ['shell_command', { command: 'ls', workdir: '/w' }, 'Bash', { command: 'ls' }],
  ['shell', { command: ['/bin/zsh', '-lc', 'ls -l'] }, 'Bash', { command: 'ls -l' }],
  ['shell', { command: ['git', 'log', "it's"] }, 'Bash', { command: `git log 'it'\\''s'` }],
  ['shell', { command: ['apply_patch', patch], workdir: 'sub' }, 'Write', added('/w/sub/a.txt')],
  ['exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }, 'Write', added('/w/a.txt')],
  ['exec_command', { cmd: `cd sub && apply_patch <<'EOF'\n${patch}\nEOF\n` }, 'Write', added('/w/sub/a.txt')],
  ['exec_command', { cmd: `cd "a b" && apply_patch <<EOF\n${patch}\nEOF` }, 'Write', added('/w/a b/a.txt')],
  ['exec_command', {}, 'Bash', {}],
  ['apply_patch', patch, 'Write', added('/w/a.txt')],
  ['apply_patch', { input: patch.replace('a.txt', '/abs/a.txt') }, 'Write', added('/abs/a.txt')],
  ['apply_patch', 'nonsense', 'Edit', { patch: 'nonsense' }],
  ['apply_patch', 1, 'Edit', 1],
  [
    'update_plan',
    { plan: [{ step: 'a', status: 'in_progress' }, 1] },
    'TodoWrite',
    { todos: [{ content: 'a', status: 'in_progress' }, 1] },
  ],
  ['update_plan', {}, 'TodoWrite', {}],
  ['view_image', { path: 'a.png' }, 'Read', { file_path: '/w/a.png' }],
  ['view_image', null, 'Read', null],
  ['request_user_input', { questions: [] }, 'AskUserQuestion', { questions: [] }],
  ['web_search', { action: { type: 'open_page', url: 'u' } }, 'WebFetch', { url: 'u' }],
  [
    'web_search',
    { action: { type: 'find_in_page', url: 'u', pattern: 'p' } },
    'WebFetch',
    { url: 'u', prompt: 'p' },
  ],
  ['web_search', { action: {} }, 'WebSearch', { action: {} }],
  ['spawn_agent', { message: 'look' }, 'Task', { prompt: 'look' }],
  ['spawn_agent', { items: [{ type: 'text', text: 'look' }] }, 'Task', { prompt: 'look' }],
  ['spawn_agent', {}, 'Task', {}],
  ['write_stdin', { session_id: 1 }, 'write_stdin', { session_id: 1 }],
  ['mcp__docs__find', {}, 'mcp__docs__find', {}],
  ['docs__find', {}, 'mcp__docs__find', {}],
])('converts %s %j to %s %j', (name, input, claude, expected) => {
  expect(call(name, input)).toEqual({ name: claude, input: expected })
})

it('reads the server from the namespace', () => {
  expect(call('find', {}, 'mcp__docs').name).toBe('mcp__docs__find')
  expect(call('find', {}, 'mcp__docs__').name).toBe('mcp__docs__find')
  expect(call('wait_agent', {}, 'multi_agent_v1').name).toBe('wait_agent')
})

it('resolves paths by the rules of their own system', () => {
  expect(call('apply_patch', patch, undefined, 'C:\\w').input).toMatchObject({ file_path: 'C:\\w\\a.txt' })
})

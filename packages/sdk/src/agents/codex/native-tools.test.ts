import { expect, it } from 'vitest'
import { toClaudeCall } from './native-tools.ts'

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

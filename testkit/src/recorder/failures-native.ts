import type { FailureClass } from '@remora/protocol/plain'
import type { Mode } from '@remora/scripted-model'
import type { Provocation } from './failures-provocations.ts'

/** What only a CLI's own tools can do wrong. `guarded` are runs in which it may not do everything. */
export interface NativeFailures {
  readonly bypass: readonly Provocation[]
  readonly guarded: readonly GuardedRun[]
}

interface GuardedRun {
  readonly mode: Mode
  readonly provocations: readonly Provocation[]
}

/** @example nativeFailures('gemini').bypass */
export function nativeFailures(agent: string): NativeFailures {
  return { bypass: bypass[agent] ?? [], guarded: guarded[agent] ?? [] }
}

type Input = Record<string, unknown>

const native = (expected: FailureClass, name: string, input: Input = {}): Provocation => ({
  expected,
  call: { native: name, input },
})
const unknown = (...names: string[]) =>
  names.map((name) => native('unknown-tool', name, { path: 'notes.txt' }))
/** By Claude's name; the scripted model picks the CLI's own tool for it. */
const shared = (expected: FailureClass, name: string, input: Input): Provocation => ({
  expected,
  call: { name, input },
})
const first = (name: string, input: Input): Provocation => ({ call: { name, input } })
const bash = (expected: FailureClass, command: string) =>
  shared(expected, 'Bash', { command, description: 'Runs a command' })

const edit = (file: string, old: string): Input => ({
  file_path: file,
  old_string: old,
  new_string: 'something else',
})

const wrongEdits: readonly Provocation[] = [
  first('Read', { file_path: 'notes.txt' }),
  shared('edit-mismatch', 'Edit', edit('notes.txt', 'delta\n')),
  shared('edit-mismatch', 'Edit', edit('notes.txt', 'these words are nowhere')),
  first('Read', { file_path: 'src/main.js' }),
  shared('edit-mismatch', 'Edit', edit('src/main.js', 'const port = 9090')),
  shared('edit-mismatch', 'Edit', edit('src/main.js', 'let host = "localhost"')),
  shared('wrong-path', 'Edit', edit('src/nope.js', 'const x')),
]

const wrongPaths: readonly Provocation[] = [
  shared('wrong-path', 'Read', { file_path: 'docs/guide.md' }),
  shared('wrong-path', 'Read', { file_path: 'src/index.ts' }),
  shared('wrong-path', 'Read', { file_path: 'src' }),
]

const desk: readonly Provocation[] = [
  shared('missing-env', 'mcp__desk__lookup', { key: 'a' }),
  shared('wrong-path', 'mcp__desk__open_page', { path: '/pages/start' }),
  shared('permission-denied', 'mcp__desk__fetch_ticket', { id: 7 }),
]

const bypass: Readonly<Record<string, readonly Provocation[]>> = {
  gemini: [
    ...unknown('readfile', 'write_to_file', 'execute_command', 'Bash', 'str_replace_editor', 'search_files'),
    ...unknown('list_dir', 'run_shell', 'view_file', 'apply_patch', 'mcp_desk_search', 'edit_file'),
    native('wrong-argument', 'read_file', {}),
    native('wrong-argument', 'read_file', { path: 'notes.txt' }),
    native('wrong-argument', 'read_file', { file_path: 42 }),
    native('wrong-argument', 'read_file', { file_path: 'notes.txt', start_line: -3, offset: -3 }),
    native('wrong-argument', 'write_file', { file_path: 'a.txt' }),
    native('wrong-argument', 'replace', { file_path: 'notes.txt', new_string: 'x' }),
    native('wrong-argument', 'run_shell_command', {}),
    native('wrong-argument', 'run_shell_command', { command: '' }),
    native('wrong-argument', 'glob', {}),
    native('wrong-argument', 'list_directory', {}),
    native('wrong-argument', 'grep_search', { pattern: '([' }),
    native('wrong-argument', 'web_fetch', { prompt: 'what is new?' }),
    native('wrong-argument', 'mcp_desk_lookup', { word: 'a' }),
    ...wrongPaths,
    native('wrong-path', 'list_directory', { dir_path: 'missing', path: '{cwd}/missing' }),
    native('wrong-path', 'grep_search', { pattern: 'x', dir_path: 'missing', path: 'missing' }),
    native('wrong-path', 'glob', { pattern: '*.js', dir_path: 'missing', path: 'missing' }),
    native('wrong-path', 'write_file', { file_path: 'src', content: 'x' }),
    native('wrong-path', 'run_shell_command', { command: 'ls', dir_path: 'nowhere', directory: 'nowhere' }),
    ...wrongEdits,
    shared('edit-mismatch', 'Edit', edit('notes.txt', 'alpha')),
    ...desk,
    {
      ...native('network', 'web_fetch', { prompt: 'Read http://nope.invalid/page' }),
      // Older versions try for minutes.
      newestOnly: true,
    },
    native('timeout', 'run_shell_command', { command: 'echo begun; sleep 20', description: 'Takes long' }),
    native('timeout', 'run_shell_command', { command: 'sleep 21', description: 'Takes long' }),
  ],
  claude: [
    ...unknown('ReadFile', 'Shell', 'str_replace_editor', 'LS', 'read_file', 'execute_command'),
    ...unknown('mcp__desk__search', 'SearchWeb', 'MultiEdit', 'RunTests'),
    // This build of Claude Code searches with its shell.
    native('unknown-tool', 'Grep', { pattern: 'x' }),
    native('unknown-tool', 'Glob', { pattern: '*.js' }),
    native('wrong-argument', 'Read', {}),
    native('wrong-argument', 'Read', { path: '{cwd}/notes.txt' }),
    native('wrong-argument', 'Read', { file_path: '{cwd}/notes.txt', offset: 'two' }),
    native('wrong-argument', 'Bash', {}),
    native('wrong-argument', 'Bash', { command: 'ls', timeout: 'long' }),
    native('wrong-argument', 'Write', { file_path: '{cwd}/a.txt' }),
    native('wrong-argument', 'Edit', { file_path: '{cwd}/notes.txt', old_string: 'alpha' }),
    ...wrongPaths,
    // Before anything was read.
    shared('edit-mismatch', 'Edit', edit('src/sum.js', 'a + b')),
    shared('edit-mismatch', 'Write', { file_path: 'fix.patch', content: 'x' }),
    ...wrongEdits,
    shared('edit-mismatch', 'Edit', edit('notes.txt', 'alpha')),
    first('Bash', { command: 'sleep 1.1; echo epsilon >> notes.txt', description: 'Changes the file' }),
    shared('edit-mismatch', 'Edit', edit('notes.txt', 'beta')),
    ...desk,
    native('timeout', 'Bash', { command: 'sleep 9', timeout: 1000 }),
  ],
  codex: [
    ...unknown('read_file', 'shell_exec', 'write_file', 'str_replace_editor', 'python', 'browser_open'),
    ...unknown('grep', 'list_directory', 'Bash', 'mcp__desk__search'),
    native('wrong-argument', 'exec_command', {}),
    native('wrong-argument', 'exec_command', { command: 'ls' }),
    native('wrong-argument', 'exec_command', { cmd: 5 }),
    native('wrong-argument', 'exec_command', { cmd: 'ls', yield_time_ms: 'soon' }),
    native('unknown-tool', 'update_plan', { plan: [] }),
    native('wrong-argument', 'write_stdin', { session_id: 'one' }),
    native('wrong-argument', 'write_stdin', {}),
    native('wrong-argument', 'view_image', {}),
    native('wrong-path', 'view_image', { path: 'nope.png' }),
    native('wrong-path', 'exec_command', { cmd: 'ls', workdir: 'nowhere' }),
    ...wrongEdits,
    shared('edit-mismatch', 'Edit', edit('src/sum.js', 'exports.add = (a, b) => a + b')),
    ...desk,
    ...wrongPaths.slice(0, 2),
  ],
  opencode: [
    ...unknown('read_file', 'shell', 'write_file', 'str_replace_editor', 'ls', 'execute_command'),
    ...unknown('multiedit', 'desk_search', 'list', 'view'),
    native('wrong-argument', 'read', {}),
    native('wrong-argument', 'read', { path: '{cwd}/notes.txt' }),
    native('wrong-argument', 'read', { filePath: 7 }),
    native('wrong-argument', 'bash', {}),
    native('wrong-argument', 'bash', { command: 'ls', description: 'x', timeout: -1 }),
    native('wrong-argument', 'write', { filePath: '{cwd}/a.txt' }),
    native('wrong-argument', 'edit', { filePath: '{cwd}/notes.txt', oldString: 'alpha' }),
    native('wrong-argument', 'glob', {}),
    native('wrong-argument', 'webfetch', { url: 'no-address', format: 'text' }),
    ...wrongPaths.slice(0, 2),
    native('wrong-path', 'bash', { command: 'ls', description: 'x', workdir: '{cwd}/nowhere' }),
    native('wrong-path', 'grep', { pattern: 'x', path: '{cwd}/missing' }),
    native('wrong-path', 'glob', { pattern: '*.js', path: '{cwd}/missing' }),
    ...wrongEdits,
    shared('edit-mismatch', 'Edit', edit('notes.txt', 'alpha')),
    ...desk,
    native('network', 'webfetch', { url: 'http://127.0.0.1:1/', format: 'text' }),
    native('network', 'webfetch', { url: 'http://nope.invalid/', format: 'text' }),
    native('timeout', 'bash', { command: 'sleep 9', description: 'x', timeout: 800 }),
    native('timeout', 'bash', { command: 'echo begun; sleep 8', description: 'x', timeout: 900 }),
    bash('permission-denied', 'git push origin main'),
  ],
}

const write = shared('permission-denied', 'Write', { file_path: 'new.txt', content: 'x' })
const touch = bash('permission-denied', 'touch made.txt')
const escalated = native('permission-denied', 'exec_command', {
  cmd: 'touch made.txt',
  sandbox_permissions: 'require_escalated',
  justification: 'May I?',
})
/** The hook of the home says no: by its exit code to one, in JSON to the other. */
const hooked = [
  bash('permission-denied', 'echo forbidden-thing'),
  bash('permission-denied', 'echo refused-thing'),
]
/** A rule of the home says no. */
const ruled = bash('permission-denied', 'git push origin main')

/** The CLI's own modes, rules and hooks. */
const guarded: Readonly<Record<string, readonly GuardedRun[]>> = {
  gemini: [
    {
      mode: 'default',
      provocations: [write, touch, shared('permission-denied', 'Edit', edit('notes.txt', 'beta'))],
    },
    {
      mode: 'bypassPermissions',
      provocations: [...hooked, ruled, shared('permission-denied', 'Read', { file_path: 'forbidden-thing' })],
    },
  ],
  claude: [
    {
      mode: 'default',
      provocations: [
        write,
        touch,
        ruled,
        shared('permission-denied', 'Read', { file_path: '.env' }),
        native('permission-denied', 'WebFetch', { url: 'http://127.0.0.1:1/', prompt: 'x' }),
        ...hooked,
      ],
    },
  ],
  codex: [
    { mode: 'default', provocations: [escalated] },
    { mode: 'plan', provocations: [touch, write] },
    { mode: 'bypassPermissions', provocations: hooked },
  ],
  // A rejected question ends its run.
  opencode: [write, touch, bash('permission-denied', 'mkdir made')].map((each) => ({
    mode: 'default',
    provocations: [each],
  })),
}

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeInto } from '../../../../../testkit/src/home.ts'
import type { Home } from '../../../../../testkit/src/home.ts'
import type { RecorderPart, Play } from '../../../../../testkit/src/recorder/screens/play.ts'
import { mcpServer } from '../../../../../testkit/src/recorder/screens/prepare.ts'
import { fruitOptions } from '../../../../../testkit/src/recorder/screens/words.ts'

const ready = { see: [/^› Ask Codex to do anything/m, /· ~\/work/] } as const

/** A command that the sandbox would not let through, so that it is asked about. */
const asking = (cmd: string) => ({
  native: 'exec_command',
  input: {
    cmd,
    sandbox_permissions: 'require_escalated',
    justification: 'May I run this outside the sandbox?',
  },
})

const patch = `apply_patch <<'EOF'
*** Begin Patch
*** Add File: note.txt
+hello
+1. Yes, proceed (y)
*** End Patch
EOF`

const colour = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  options: [
    { label: 'Red (Recommended)', description: 'Like fire' },
    { label: 'Blue', description: 'Like water' },
  ],
}
const fruit = {
  id: 'fruit',
  header: 'Fruit',
  question: 'Which fruit?',
  options: fruitOptions,
}

/** Words that look like a dialog, a part at a time. */
const slow = {
  thoughts: [{ subject: 'Planning', description: 'First I look around.' }],
  text: [
    'You can choose between these, and each of them is explained in a line that is so long that it has to be broken:\n\n' +
      '1. Yes, proceed (y)\n2. No, and tell Codex what to do differently (esc)\n\nPress enter to confirm or esc to cancel\n',
    '\nThat is all.',
  ],
  delayMs: 5000,
}

/** An untrusted folder, unreviewed hooks and a newer version. */
async function strange(home: Home): Promise<void> {
  await promisify(execFile)('git', ['init', '-q', home.cwd])
  const file = join(home.path, '.codex/config.toml')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.slice(0, text.indexOf('[projects.')))
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] }
  await writeInto(home.path, '.codex/hooks.json', JSON.stringify({ hooks }))
  const version = { latest_version: '999.0.0', last_checked_at: new Date().toISOString() }
  await writeInto(home.path, '.codex/version.json', JSON.stringify(version))
}

async function withServer(home: Home): Promise<void> {
  const { command, args } = await mcpServer(home)
  const file = join(home.path, '.codex/config.toml')
  const table = `[mcp_servers.desk]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
  await writeFile(file, `${await readFile(file, 'utf8')}${table}`)
}

const plays: readonly Play[] = [
  {
    name: 'working',
    turns: [[slow]],
    steps: [
      { ...ready, keep: 'idle' },
      { write: 'half typed' },
      { see: /^› half typed$/m, keep: 'typed' },
      { keys: ['C-u'] },
      { type: 'Do it.' },
      { see: /Working \(.*esc to interrupt/, keep: 'working' },
      { see: /First I look around.*esc to interrupt/, keep: 'thinking' },
      { see: /confirm or esc to cancel/, keep: 'streaming' },
      { write: 'And then?' },
      { see: /tab to queue/ },
      { keys: ['Tab'] },
      { see: /Queued follow-up/, keep: 'queued' },
      { keys: ['Escape'] },
      { see: /Conversation interrupted/, keep: 'interrupted' },
    ],
  },
  {
    name: 'commands',
    turns: [
      [
        { tools: [asking('touch a.txt')] },
        {
          tools: [
            asking('cat <<X\n1. Yes, proceed (y)\nWould you like to run the following command?\n\n$ ls\nX'),
          ],
        },
        {
          tools: [asking(Array.from({ length: 200 }, (_, index) => `echo line ${index} of many`).join('; '))],
        },
        { text: 'Well.' },
      ],
    ],
    steps: [
      ready,
      { type: 'Run it.' },
      { see: /touch a\.txt\n[^]*Press enter to confirm/, keep: 'asking' },
      { keys: ['1'] },
      { see: /cat <<X\n[^]*Press enter to confirm/, keep: 'lines' },
      { keys: ['1'] },
      { see: /view all/, keep: 'long' },
      { keys: ['C-a'] },
      { see: /q close/, keep: 'pager' },
      { keys: ['q'] },
      { see: /view all/ },
      { keys: ['Escape'] },
      { see: /Conversation interrupted/, keep: 'denied' },
      { type: '/quit' },
      { see: /Pane is dead/, keep: 'ended' },
    ],
  },
  {
    name: 'narrow',
    columns: 80,
    rows: 24,
    turns: [[{ tools: [asking(`touch ${'a-file-with-a-long-name.txt '.repeat(5)}`)] }]],
    steps: [
      { ...ready, keep: 'idle' },
      { type: 'Run it.' },
      { see: /Press enter to confirm/, keep: 'asking' },
    ],
  },
  {
    name: 'edit',
    start: { mode: 'plan' },
    turns: [[{ tools: [{ native: 'exec_command', input: { cmd: patch } }] }, { text: 'Well.' }]],
    steps: [ready, { type: 'Write it.' }, { see: /Press enter to confirm/, keep: 'asking' }],
  },
  {
    name: 'mcp',
    prepare: withServer,
    turns: [[{ tools: [{ name: 'mcp__desk__lookup', input: { key: '1. Ann' } }] }, { text: 'Well.' }]],
    steps: [ready, { type: 'Look it up.' }, { see: /desk MCP server/, keep: 'asking' }],
  },
  {
    name: 'questions',
    turns: [
      [
        { tools: [{ native: 'request_user_input', input: { questions: [colour] } }] },
        { tools: [{ native: 'request_user_input', input: { questions: [colour, fruit] } }] },
        { text: '<proposed_plan>\n# The plan\n\n1. Begin.\n2. End.\n</proposed_plan>' },
      ],
    ],
    steps: [
      ready,
      { keys: ['BTab'] },
      { see: /Plan mode \(/, keep: 'plan-mode' },
      { type: 'Ask me.' },
      { see: /Question 1\/1/, keep: 'one' },
      { keys: ['2'] },
      { see: /Question 1\/2/, keep: 'first' },
      { keys: ['1'] },
      { see: /Question 2\/2/, keep: 'second' },
      { keys: ['Down', 'Down', 'Tab'] },
      { see: /Question 2\/2/, keep: 'notes' },
      { write: 'A plum' },
      { see: /A plum/ },
      { keys: ['Enter'] },
      { see: /Implement this plan\?/, keep: 'plan' },
    ],
  },
  {
    name: 'pickers',
    steps: [
      ready,
      { type: '/model' },
      { see: /Select Model/, keep: 'models' },
      { keys: ['2'] },
      { see: /Select Reasoning Level/, keep: 'efforts' },
      { keys: ['s'] },
      { see: /Model changed to/, keep: 'model-set' },
      { type: '/permissions' },
      { see: /Update Model Permissions/, keep: 'permissions' },
      { keys: ['3'] },
      { see: /Enable full access/, keep: 'full-access' },
      { keys: ['1'] },
      { see: /requested: Full Access/, keep: 'full-access-set' },
      { keys: ['BTab'] },
      { see: /Plan mode \(/ },
      { keys: ['BTab'] },
      { see: /for Default mode/, keep: 'default-mode' },
    ],
  },
  {
    name: 'failures',
    turns: [[{ fault: { kind: 'status', status: 401 } }], [{ fault: { kind: 'status', status: 500 } }]],
    steps: [
      ready,
      { type: 'First.' },
      { see: /^■/m, keep: 'key' },
      { type: 'Second.' },
      { see: /Second\.[^]*^■/m, keep: 'server' },
    ],
  },
  {
    name: 'start',
    prepare: strange,
    steps: [
      { see: /Update available/, keep: 'update' },
      { keys: ['2'] },
      { see: /Trust this folder/, keep: 'trust' },
      { keys: ['Enter'] },
      { see: /Hooks need review/, keep: 'hooks' },
      { keys: ['1'] },
      { see: /t trust all/, keep: 'hooks-table' },
    ],
  },
  {
    name: 'agents',
    since: '0.169.0',
    steps: [ready, { keys: ['Left'] }, { see: /^ {2}Agent command center/m, keep: 'list' }],
  },
  {
    name: 'shell',
    steps: [
      ready,
      { keys: ['!'] },
      { see: /Shell mode/, keep: 'empty' },
      { write: 'ls' },
      { see: /^! ls/m, keep: 'typed' },
    ],
  },
  { name: 'bypass', start: { mode: 'bypassPermissions' }, steps: [{ ...ready, keep: 'idle' }] },
]

export const recorder: RecorderPart = {
  plays,
}

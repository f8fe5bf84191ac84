import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Home } from '../../../../../testkit/src/home.ts'
import type { RecorderPart, Play } from '../../../../../testkit/src/recorder/screens/play.ts'
import { changeJson, mcpServer } from '../../../../../testkit/src/recorder/screens/prepare.ts'
import {
  colours,
  command,
  fruitOptions,
  listed,
  longFile,
  longList,
  plan,
  shellCommands,
  unfinished,
} from '../../../../../testkit/src/recorder/screens/words.ts'

const ready = { see: /^❯/m, not: /esc to interrupt/ } as const

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: colours,
}
const fruits = {
  question: 'Which fruits?',
  header: 'Fruits',
  multiSelect: true,
  options: fruitOptions,
}

/** Claude makes up the name of the file in which it expects the plan. */
async function writePlan(home: Home): Promise<void> {
  const folder = join(home.path, '.claude/projects')
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
  const text = await readFile(join(folder, files[0] ?? ''), 'utf8')
  const file = /"planFilePath":"([^"]+)"/.exec(text)?.[1]
  if (file === undefined) return
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, plan)
}

/** Since 2.1.283 Claude starts in auto mode, in which it seldom asks. */
const asking = { mode: 'default' } as const

const bash = (shell: string) => ({
  tools: [{ name: 'Bash', input: { command: shell, description: 'Runs a test command' } }],
})

const plays: readonly Play[] = [
  {
    name: 'modes',
    start: asking,
    steps: [
      { ...ready, keep: 'default' },
      { write: 'not sent yet' },
      { see: /^❯.not sent yet$/m, keep: 'typed' },
      { keys: ['C-u', 'BTab'] },
      { see: /accept edits on/, keep: 'edits' },
      { keys: ['BTab'] },
      { see: /plan mode on/, keep: 'plan' },
      { keys: ['BTab'] },
      { see: /auto mode on/, keep: 'auto' },
      { keys: ['BTab'] },
      { type: '/model' },
      { see: /Select model/, keep: 'model-dialog' },
      { keys: ['Down', 'Down', 's'] },
      { see: /Set model to/, keep: 'model-set' },
      { type: '/exit' },
      { see: /claude --resume|Pane is dead/, keep: 'ended' },
    ],
  },
  {
    name: 'bypass',
    start: { mode: 'bypassPermissions' },
    steps: [
      { see: /Yes, I accept/, keep: 'start' },
      { keys: ['Down', 'Enter'] },
      { see: /bypass permissions on/, keep: 'accepted' },
    ],
  },
  { name: 'mode-unset', steps: [{ ...ready, keep: 'idle' }] },
  { name: 'mode-manual', start: { mode: 'default' }, steps: [{ ...ready, keep: 'idle' }] },
  { name: 'mode-auto', start: { mode: 'auto' }, steps: [{ ...ready, see: /auto mode on/, keep: 'idle' }] },
  {
    name: 'mode-dont-ask',
    start: { extraArgs: ['--permission-mode', 'dontAsk'] },
    steps: [{ ...ready, see: /don't ask on/, keep: 'idle' }],
  },
  {
    name: 'working',
    start: asking,
    turns: [[listed], [unfinished]],
    steps: [
      ready,
      { type: 'List.' },
      { see: /That was a list/, not: /esc to interrupt/, keep: 'listed' },
      { type: 'Talk.' },
      { see: /esc to interrupt/, keep: 'thinking' },
      { see: [/1\. Allow once is/, /esc to interrupt/], keep: 'streaming', moving: true },
      { type: 'Later.' },
      { see: [/Press up to edit/, /esc to interrupt/], keep: 'queued', moving: true },
      { keys: ['Up', 'C-u', 'Escape'] },
      { see: /Interrupted/, not: /esc to interrupt/, keep: 'interrupted' },
      { type: '/model haiku' },
      { see: /Switch model\?|Set model to/, keep: 'model-switch' },
    ],
  },
  {
    name: 'long',
    // A prompt that begins with a dash is no option.
    start: { ...asking, prompt: '- Go on' },
    turns: [[longList]],
    steps: [
      { see: /That was all\./, not: /esc to interrupt/, keep: 'done' },
      { write: 'one' },
      { keys: ['M-Enter'] },
      { write: 'two' },
      { see: /^ *two$/m, keep: 'two-lines' },
    ],
  },
  {
    name: 'tools',
    start: asking,
    turns: [
      [{ tools: [{ name: 'Bash', input: { command, description: 'Says numbers' } }] }, { text: 'Said.' }],
      [
        { tools: [{ name: 'Write', input: { file_path: 'long.txt', content: longFile } }] },
        { text: 'Written.' },
      ],
      [
        {
          tools: [
            {
              name: 'Edit',
              input: { file_path: 'long.txt', old_string: 'line 5\n', new_string: 'line five\n' },
            },
          ],
        },
        { text: 'Changed.' },
      ],
      [{ tools: [{ native: 'mcp__desk__lookup', input: { key: 'colour' } }] }, { text: 'Looked up.' }],
      [
        {
          tools: [{ name: 'WebFetch', input: { url: 'https://example.com/a', prompt: 'What is it?' } }],
        },
        { text: 'Fetched.' },
      ],
    ],
    async prepare(home) {
      await changeJson(home, '.claude.json', { mcpServers: { desk: await mcpServer(home) } })
    },
    steps: [
      ready,
      { type: 'Run it.' },
      { see: /Do you want to proceed/, keep: 'shell' },
      { keys: ['1'] },
      { see: /Said\./, not: /esc to interrupt/, keep: 'shell-done' },
      { type: 'Write it.' },
      { see: /Do you want to create/, keep: 'long-write' },
      { keys: ['1'] },
      { see: /Written\./, not: /esc to interrupt/ },
      { type: 'Change it.' },
      { see: /Do you want to make this edit/, keep: 'edit' },
      { keys: ['Escape'] },
      { see: /Interrupted|[Rr]ejected/, not: /esc to interrupt|Esc to cancel/, keep: 'denied' },
      { type: 'Look it up.' },
      // Its bullet blinks.
      { see: /Do you want to proceed/, keep: 'mcp', moving: true },
      { keys: ['1'] },
      { see: /Looked up\./, not: /esc to interrupt/ },
      { type: 'Fetch it.' },
      { see: /Do you want to allow/, keep: 'fetch' },
    ],
  },
  ...Object.entries(shellCommands).map(([name, shell]): Play => ({
    name: `command-${name}`,
    start: asking,
    turns: [[bash(shell), { text: 'Said.' }]],
    steps: [ready, { type: 'Run it.' }, { see: /Do you want to proceed/, keep: 'shell' }],
  })),
  ...Object.entries({ blank: ' ', empty: '', missing: undefined }).map(([name, description]): Play => ({
    name: `description-${name}`,
    start: asking,
    turns: [
      [
        { tools: [{ name: 'Bash', input: { command: 'touch a.txt\nrm b.txt', description } }] },
        { text: 'Said.' },
      ],
    ],
    steps: [ready, { type: 'Run it.' }, { see: /Do you want to proceed/, keep: 'shell' }],
  })),
  {
    name: 'auto',
    since: '2.1.283',
    turns: [[bash('touch a.txt && curl -s http://127.0.0.1:9/'), { text: 'Done.' }]],
    steps: [
      { ...ready, keep: 'idle' },
      { type: 'Run it.' },
      { see: /Auto mode can't check/, keep: 'unavailable' },
      { keys: ['Enter'] },
      { see: /Do you want/, keep: 'shell' },
    ],
  },
  {
    name: 'auto-offer',
    since: '2.1.283',
    // Claude offers auto mode once to users whose settings name another mode.
    async prepare(home) {
      await mkdir(join(home.path, '.claude'), { recursive: true })
      await changeJson(home, '.claude/settings.json', { permissions: { defaultMode: 'default' } })
    },
    steps: [
      { see: /Make auto mode your default/, keep: 'dialog' },
      { keys: ['Down'] },
      { see: /❯ No, keep manual mode/, keep: 'dialog-moved' },
      { keys: ['Enter'] },
      { see: /manual mode on/, keep: 'declined' },
    ],
  },
  {
    name: 'questions',
    start: asking,
    turns: [
      [{ tools: [{ native: 'AskUserQuestion', input: { questions: [colour] } }] }, { text: 'Thanks.' }],
      [
        { tools: [{ native: 'AskUserQuestion', input: { questions: [fruits, colour] } }] },
        { text: 'Thanks.' },
      ],
    ],
    steps: [
      ready,
      { type: 'Ask.' },
      { see: /Enter to select/, keep: 'choice' },
      { keys: ['3'] },
      { see: /❯ 3\./, keep: 'choice-own' },
      { keys: ['Escape'] },
      { ...ready, not: /Esc to cancel|esc to interrupt/ },
      { type: 'Ask more.' },
      { see: /Enter to select/, keep: 'several' },
      { keys: ['1'] },
      { see: /\[✔\] Apple/, keep: 'several-chosen' },
      { keys: ['Tab', '2'] },
      { see: /Review your answers/, keep: 'review' },
    ],
  },
  {
    name: 'plan',
    start: { mode: 'plan', effort: 'low', hooks: { Stop: 'true' } },
    turns: [[{ tools: [{ native: 'ExitPlanMode', input: {} }] }, { text: 'Done.' }]],
    steps: [
      ready,
      { type: 'Plan.' },
      { see: /Exit plan mode\?/, keep: 'without' },
      { do: writePlan },
      { keys: ['2'] },
      { ...ready, not: /esc to interrupt|Exit plan mode\?/ },
      { type: 'Show it.' },
      { see: /Would you like to proceed/, keep: 'approval' },
    ],
  },
  {
    name: 'failures',
    start: asking,
    turns: [[{ fault: { kind: 'status', status: 401 } }], [{ fault: { kind: 'status', status: 500 } }]],
    steps: [
      ready,
      { type: 'Fail.' },
      { see: /Please run \/login|API Error/, not: /esc to interrupt/, keep: 'sign-in' },
      { type: 'Fail again.' },
      { see: /API Error: 500/, not: /esc to interrupt/, keep: 'error' },
    ],
  },
  {
    name: 'trust',
    start: asking,
    async prepare(home) {
      await changeJson(home, '.claude.json', { projects: {} })
    },
    steps: [{ see: /trust/, keep: 'folder' }],
  },
  {
    name: 'panels',
    start: asking,
    steps: [
      ready,
      { type: '/permissions' },
      { see: /Esc to cancel/, keep: 'permissions' },
      { keys: ['Escape'] },
      ready,
      { type: '/config' },
      { see: /Esc to clear/, keep: 'settings' },
    ],
  },
  {
    name: 'narrow',
    start: asking,
    columns: 60,
    rows: 30,
    turns: [[{ tools: [{ name: 'Bash', input: { command, description: 'Says numbers' } }] }, unfinished]],
    steps: [
      { ...ready, keep: 'idle' },
      { type: 'Run it.' },
      { see: /Do you want to proceed/, keep: 'shell' },
      { keys: ['1'] },
      // Only whole lines of what streams are shown.
      { see: /columns, and$/m, keep: 'streaming', moving: true },
    ],
  },
]

export const recorder: RecorderPart = {
  start: asking,
  plays,
}

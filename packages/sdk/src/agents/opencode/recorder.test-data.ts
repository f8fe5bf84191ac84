import type { Home } from '../../../../../testkit/src/home.ts'
import type { RecorderPart, Play } from '../../../../../testkit/src/recorder/screens/play.ts'
import { changeJson, mcpServer } from '../../../../../testkit/src/recorder/screens/prepare.ts'
import { colours, fruitOptions } from '../../../../../testkit/src/recorder/screens/words.ts'

const box = /╹▀▀▀/
const ready = { see: [box, /ctrl\+p commands/], not: /interrupt/ } as const
const required = /Permission required/

const bash = (command: string) => ({ name: 'Bash', input: { command } })
const question = (...questions: object[]) => ({ native: 'question', input: { questions } })

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: colours,
}
const fruits = {
  question: 'Which fruits?',
  header: 'Fruits',
  multiple: true,
  options: fruitOptions,
}

/** Words that look like a dialog, a part at a time. */
const slow = {
  thoughts: [{ subject: 'Planning the work', description: 'First I look around.' }],
  text: [
    'You can choose between these, and each of them is explained in a line that is so long that it has to be broken:\n\n' +
      '1. Red\n2. Blue\n\nAllow once   Allow always   Reject\n',
    '\nThat is all.',
  ],
  delayMs: 9000,
}

async function withServer(home: Home): Promise<void> {
  const { command, args } = await mcpServer(home)
  await changeJson(home, '.config/opencode/opencode.json', {
    mcp: { desk: { type: 'local', command: [command, ...args], enabled: true } },
    permission: { bash: 'ask', edit: 'ask', webfetch: 'ask', desk_lookup: 'ask' },
  })
}

async function withModels(home: Home): Promise<void> {
  const limit = { context: 100_000, output: 4_000 }
  const models = {
    'scripted-model': { name: 'Scripted Model', tool_call: true, limit },
    'other-model': { name: 'Other Model', tool_call: true, limit },
    'other-model-2': { name: 'Other Model 2', tool_call: true, limit },
  }
  const options = { baseURL: 'http://127.0.0.1:1/v1', apiKey: 'scripted' }
  const scripted = { npm: '@ai-sdk/openai-compatible', name: 'Scripted', options, models }
  await changeJson(home, '.config/opencode/opencode.json', { provider: { scripted } })
}

const plays: readonly Play[] = [
  {
    name: 'working',
    turns: [[slow]],
    steps: [
      { ...ready, keep: 'home' },
      { write: 'half typed' },
      { see: /┃ {2}half typed/, keep: 'typed' },
      { keys: ['C-u'] },
      { type: 'Do it.' },
      { see: [/esc interrupt/, /Thinking/], keep: 'thinking', moving: true },
      { see: [/esc interrupt/, /Allow always/], keep: 'streaming' },
      { write: 'And then?' },
      { keys: ['Enter'] },
      { see: /QUEUED/, keep: 'queued' },
      { keys: ['Escape'] },
      { see: /again to interrupt/, moving: true },
      { keys: ['Escape'] },
      { see: /· interrupted/, not: /esc (?:again )?/, keep: 'interrupted' },
      { keys: ['Tab'] },
      { see: /┃ {2}Plan ·/, keep: 'plan-mode' },
      { write: '/exit' },
      { see: /Exit the app/ },
      { keys: ['Enter'] },
      { see: /opencode -s ses_|Pane is dead/, keep: 'ended' },
    ],
  },
  {
    name: 'permissions',
    turns: [
      [
        { tools: [bash('touch a.txt')] },
        { tools: [{ name: 'Write', input: { file_path: 'note.txt', content: 'hello\n1. Allow once\n' } }] },
        {
          tools: [{ name: 'Edit', input: { file_path: 'note.txt', old_string: 'hello', new_string: 'bye' } }],
        },
        { tools: [{ name: 'Read', input: { file_path: '/etc/hostname' } }] },
        { tools: [bash(Array.from({ length: 40 }, (_, index) => `echo line ${index} of many`).join('; '))] },
        { text: 'Well.' },
      ],
    ],
    steps: [
      ready,
      { type: 'Do it.' },
      { see: [required, /Shell command/], keep: 'shell' },
      { keys: ['Right', 'Enter'] },
      { see: /Always allow/, keep: 'always' },
      { keys: ['Escape'] },
      { see: required },
      { keys: ['Enter'] },
      { see: [required, /Edit note\.txt/], keep: 'write' },
      { keys: ['Enter'] },
      { see: [required, /- hello/], keep: 'edit' },
      { keys: ['Enter'] },
      { see: [required, /external directory/], keep: 'outside' },
      { keys: ['Enter'] },
      { see: [required, /line 7/], keep: 'long' },
      { keys: ['C-f'] },
      { see: /minimize/, keep: 'long-whole' },
      { keys: ['Escape'] },
      { ...ready, keep: 'denied' },
    ],
  },
  {
    name: 'narrow',
    columns: 60,
    rows: 30,
    turns: [[{ tools: [bash('touch a.txt')] }]],
    steps: [{ ...ready, keep: 'home' }, { type: 'Do it.' }, { see: required, keep: 'asking' }],
  },
  {
    name: 'wide',
    columns: 160,
    turns: [[{ tools: [bash('touch a.txt')] }, { text: 'Well, it is done.' }]],
    steps: [
      ready,
      { type: 'Do it.' },
      { see: required, keep: 'asking' },
      { keys: ['Enter'] },
      { see: [box, /Well, it is done\./], not: /interrupt/, keep: 'done' },
    ],
  },
  {
    name: 'tools',
    prepare: withServer,
    turns: [
      [
        { tools: [{ name: 'mcp__desk__lookup', input: { key: '1. Ann' } }] },
        { tools: [{ name: 'WebFetch', input: { url: 'http://127.0.0.1:1/page', prompt: 'Read it.' } }] },
        { text: 'Well.' },
      ],
    ],
    steps: [
      ready,
      { type: 'Do it.' },
      { see: [required, /desk_lookup/], keep: 'mcp' },
      { keys: ['Enter'] },
      { see: [required, /WebFetch http/], keep: 'fetch' },
    ],
  },
  {
    name: 'questions',
    turns: [[{ tools: [question(colour)] }, { tools: [question(colour, fruits)] }, { text: 'Well.' }]],
    steps: [
      ready,
      { type: 'Ask me.' },
      { see: /esc dismiss/, keep: 'one' },
      { keys: ['3'] },
      { see: /3\. Type your own answer\n.*Type your own answer/, keep: 'own' },
      { write: 'Green' },
      { keys: ['Enter'] },
      { see: [/⇆ tab/, /Which colour\?\n[^]*esc dismiss/], keep: 'first' },
      { keys: ['1'] },
      { see: [/⇆ tab/, /select all that apply/], keep: 'second' },
      { keys: ['1'] },
      { see: /\[✓\] Apple/, keep: 'ticked' },
      { keys: ['Tab'] },
      { see: /Review/, keep: 'review' },
      { keys: ['Enter'] },
      { ...ready, keep: 'done' },
    ],
  },
  {
    name: 'models',
    prepare: withModels,
    steps: [
      ready,
      { write: '/models' },
      { see: /Switch model/ },
      { keys: ['Enter'] },
      { see: /Select model/, keep: 'all' },
      { write: 'other model' },
      { see: /Other Model 2/, not: /● Scripted Model/, keep: 'some' },
      { keys: ['Down', 'Enter'] },
      { see: /Other Model 2 Scripted/, keep: 'set' },
      { write: '/mod' },
      { see: /Switch model/, keep: 'proposals' },
    ],
  },
  {
    name: 'failures',
    turns: [[{ fault: { kind: 'status', status: 401 } }], [{ fault: { kind: 'status', status: 500 } }]],
    steps: [
      ready,
      { type: 'First.' },
      { see: [/Incorrect API key/, /▣/], not: /interrupt/, keep: 'key' },
      { type: 'Second.' },
      { see: /retrying in/, keep: 'retrying', moving: true },
    ],
  },
]

export const recorder: RecorderPart = {
  plays,
  // It retries for 80 seconds, which no setting shortens; `retry-then-ok` shows how it does. It reports a cut connection
  // now with one set of fields, now with another.
  unfit: ['fault-429', 'fault-500', 'fault-503', 'fault-quota', 'fault-cut'],
}

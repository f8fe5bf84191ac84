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

const ready = { see: /^> {3}Type your message/m, not: /esc to cancel|Initializing/ } as const
const asking = [/Waiting for user confirmation/, /1\. Yes, allow once/] as const
const settings = '.qwen/settings.json'
const start = { mode: 'default' } as const

const colour = { question: 'Which colour?', header: 'Colour', multiSelect: false, options: colours }
const fruits = { question: 'Which fruits?', header: 'Fruits', multiSelect: true, options: fruitOptions }
const bash = (text: string) => ({
  tools: [{ name: 'Bash' as const, input: { command: text, description: 'Says numbers' } }],
})
const done = { text: 'Said.' }

const plays: readonly Play[] = [
  {
    name: 'modes',
    // As the CLI starts by itself.
    start: {},
    steps: [
      { see: /Initializing\.\.\./, keep: 'starting', moving: true },
      { ...ready, keep: 'auto' },
      { keys: ['BTab'] },
      { see: /YOLO mode/, keep: 'yolo' },
      { keys: ['BTab'] },
      { see: /plan mode/, keep: 'plan' },
      { keys: ['BTab'] },
      { see: /Ask permissions/, keep: 'default' },
      { keys: ['BTab'] },
      { see: /auto-accept edits/, keep: 'edits' },
      { type: '/approval-mode default' },
      { see: [/Approval mode set to/, /⏸ Ask permissions/], keep: 'set' },
      { write: 'not sent yet' },
      { see: /^> not sent yet/m, keep: 'typed' },
      { keys: ['C-u', '!'] },
      { see: /shell mode enabled/, keep: 'shell' },
      { write: 'ls' },
      { see: /^! ls/m, keep: 'shell-typed' },
      { keys: ['C-u', 'Escape'] },
      ready,
      { write: '/mod' },
      { see: /Switch the model/, keep: 'completion' },
      { keys: ['C-u'] },
      ready,
      { keys: ['?'] },
      { see: /for commands/, keep: 'shortcuts' },
      { keys: ['?'] },
      ready,
      { type: '/quit' },
      { see: /Pane is dead|powering down|To continue this session/, keep: 'ended' },
    ],
  },
  {
    name: 'models',
    async prepare(home) {
      const models = ['scripted-model', 'other-model'].map((id) => ({
        id,
        envKey: 'OPENAI_API_KEY',
        baseUrl: `${home.url}/v1`,
      }))
      await changeJson(home, settings, { model: {}, modelProviders: { openai: models } })
    },
    steps: [
      ready,
      { type: '/model ' },
      { see: [/Select Model/, /other-model/], keep: 'dialog' },
      { keys: ['Escape'] },
      ready,
      { write: '/model other-model' },
      // Enter would choose a completion.
      { keys: ['Escape', 'Enter'] },
      { see: [/Model: other-model/, /· other-model$/m], keep: 'set' },
      { write: '/model missing' },
      { keys: ['Escape', 'Enter'] },
      { see: /'missing' is not available/, keep: 'missing' },
    ],
  },
  {
    name: 'working',
    turns: [[listed], [unfinished]],
    steps: [
      ready,
      { type: 'List.' },
      { see: /That was a list/, not: /esc to cancel/, keep: 'listed' },
      { type: 'Talk.' },
      { see: [/Thought|Thinking/, /esc to cancel/], keep: 'thinking' },
      { see: [/1\. Allow once is/, /esc to cancel/], keep: 'streaming' },
      { keys: ['Escape'] },
      { see: /Request cancelled/, keep: 'interrupted' },
      { keys: ['C-u'] },
      ready,
      { type: 'Talk more.' },
      { see: /esc to cancel/ },
      { type: 'Later.' },
      { see: [/1 queued/, /esc to cancel/], keep: 'queued' },
    ],
  },
  {
    name: 'long',
    // A prompt that begins with a dash is no option.
    start: { ...start, prompt: '- List all' },
    turns: [[longList]],
    steps: [
      { see: /That was all\./, not: /esc to cancel/, keep: 'done' },
      { write: 'one' },
      { keys: ['C-j'] },
      { write: 'two' },
      { see: /^ *two/m, keep: 'two-lines' },
    ],
  },
  {
    name: 'tools',
    turns: [
      [bash(command), done],
      [
        { tools: [{ name: 'Write', input: { file_path: 'long.txt', content: longFile } }] },
        { text: 'Written.' },
      ],
      [{ tools: [{ native: 'mcp__desk__lookup', input: { key: 'colour' } }] }, { text: 'Looked up.' }],
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
      [
        { tools: [{ native: 'web_fetch', input: { url: 'http://127.0.0.1:1/page', prompt: 'Read it.' } }] },
        { text: 'Fetched.' },
      ],
    ],
    async prepare(home) {
      await changeJson(home, settings, { mcpServers: { desk: await mcpServer(home) } })
    },
    steps: [
      ready,
      { type: 'Run it.' },
      { see: asking, keep: 'shell' },
      { keys: ['1'] },
      { see: [/✓ Shell/, /◆/], not: /esc to cancel/, keep: 'shell-done' },
      { type: 'Write it.' },
      { see: [...asking, /Apply this change/], keep: 'long-write' },
      { keys: ['1'] },
      { see: /Written\./, not: /esc to cancel/ },
      { type: 'Look it up.' },
      { see: [...asking, /MCP/], keep: 'mcp' },
      { keys: ['1'] },
      { see: /Looked up\./, not: /esc to cancel/ },
      { type: 'Change it.' },
      { see: [...asking, /Apply this change/], keep: 'edit' },
      { keys: ['Escape'] },
      { see: /^[>] /m, not: /esc to cancel|Waiting for/, keep: 'denied' },
      { type: 'Fetch it.' },
      { see: [...asking, /Do you want to proceed/], keep: 'fetch' },
    ],
  },
  {
    name: 'commands',
    turns: Object.values(shellCommands).map((text) => [bash(text), done]),
    steps: [
      ready,
      ...Object.keys(shellCommands).flatMap((name) => [
        { type: 'Run it.' },
        { see: asking, keep: name },
        { keys: ['Escape'] },
        { see: /^> /m, not: /esc to cancel|Waiting for/ },
      ]),
    ],
  },
  {
    name: 'questions',
    turns: [
      [{ tools: [{ native: 'ask_user_question', input: { questions: [colour] } }] }, { text: 'Thanks.' }],
      [
        { tools: [{ native: 'ask_user_question', input: { questions: [fruits, colour] } }] },
        { text: 'Thanks again.' },
      ],
    ],
    steps: [
      ready,
      { type: 'Ask.' },
      { see: /Enter: Select/, keep: 'choice' },
      { keys: ['3'] },
      { see: /❯ 3\. > /, keep: 'choice-own' },
      { write: 'mine' },
      { see: /> mine/, keep: 'choice-typed' },
      { keys: ['Enter'] },
      { see: /Thanks\./, not: /esc to cancel/ },
      { type: 'Ask more.' },
      { see: /Space: Toggle/, keep: 'several' },
      { keys: ['Space'] },
      { see: /\[✓\] 1\. Apple/, keep: 'several-chosen' },
      { keys: ['3'] },
      { see: /❯ \[ \] 3\. > /, keep: 'several-own' },
      { keys: ['Up', 'Enter'] },
      { see: /❯ 1\. Red/, keep: 'second' },
      { keys: ['2'] },
      { see: /Submit answers/, keep: 'review' },
    ],
  },
  {
    name: 'plan',
    start: { mode: 'plan' },
    turns: [[{ tools: [{ native: 'exit_plan_mode', input: { plan } }] }, { text: 'Done.' }]],
    steps: [ready, { type: 'Plan.' }, { see: /keep planning/, keep: 'approval' }],
  },
  {
    name: 'failures',
    turns: [
      [{ fault: { kind: 'status', status: 503, times: 1 }, text: 'Again.' }],
      [{ fault: { kind: 'status', status: 401 } }],
    ],
    steps: [
      ready,
      { type: 'Fail once.' },
      { see: /esc to cancel/, keep: 'retry' },
      { see: /Again\./, not: /esc to cancel/ },
      { type: 'Fail.' },
      { see: /API Error/, not: /esc to cancel/, keep: 'error' },
    ],
  },
  {
    name: 'trust',
    async prepare(home) {
      await changeJson(home, settings, {
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: true } },
      })
    },
    steps: [{ see: /Trust folder/, keep: 'folder' }],
  },
  {
    name: 'sign-in',
    async prepare(home) {
      await changeJson(home, settings, { security: {} })
    },
    env: () => ({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '', OPENAI_MODEL: '' }),
    steps: [{ see: /›|❯/, not: /Initializing/, keep: 'dialog' }],
  },
  {
    name: 'panels',
    steps: [
      ready,
      { type: '/theme ' },
      { see: /Select Theme/, keep: 'theme' },
      { keys: ['Escape'] },
      ready,
      { type: '/approval-mode ' },
      { see: /1\. /, not: /^> /m, keep: 'approval-mode' },
      { keys: ['Escape'] },
      ready,
      { type: '/settings ' },
      { see: /Vim Mode|Language/, keep: 'settings' },
      { keys: ['Escape'] },
      ready,
      { type: '/permissions ' },
      { see: /Allow/, not: /^> /m, keep: 'permissions' },
      { keys: ['Escape'] },
      ready,
      { type: '/help ' },
      { see: /[Ee]sc/, not: /^> /m, keep: 'help' },
    ],
  },
  {
    name: 'narrow',
    columns: 60,
    rows: 30,
    turns: [[bash(command), unfinished]],
    steps: [
      { ...ready, keep: 'idle' },
      { type: 'Run it.' },
      { see: asking, keep: 'shell' },
      { keys: ['1'] },
      { see: [/it goes +on$/m, /◆/], keep: 'streaming' },
    ],
  },
]

export const recorder: RecorderPart = {
  start,
  plays: plays.map((play) => ({ start, ...play })),
}

import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  unfinished,
} from '../../../../../testkit/src/recorder/screens/words.ts'

const ready = { see: [/◇ {2}Ready/, /Type your message/] } as const
const asking = /✋ {2}Action Required/

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  type: 'choice',
  options: colours,
}
const fruits = {
  question: 'Which fruits?',
  header: 'Fruits',
  type: 'choice',
  multiSelect: true,
  options: fruitOptions,
}
const name = { question: 'Your name?', header: 'Name', type: 'text', placeholder: 'Such as Ann' }
const sure = { question: 'Really?', header: 'Sure', type: 'yesno' }

/** Where the CLI looks for the plan that it is told of. */
async function writePlan(home: Home): Promise<void> {
  const root = join(home.path, '.gemini/tmp/work')
  const [file = ''] = await readdir(join(root, 'chats'))
  const text = await readFile(join(root, 'chats', file), 'utf8')
  const session = /"sessionId":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
  const folder = join(root, session, 'plans')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'plan.md'), plan)
}

/**
 * A program that makes the CLI fail while it draws, once a file is there: in the function that it draws its frames
 * with. React tries a second time before it gives up. The calls are those of the real one, without the folders of a machine.
 */
function crashing(file: string): string {
  const react = '/gemini/node_modules/react-reconciler/cjs/react-reconciler.development.js'
  const calls = [
    'HalfLinePaddedBoxInternal (file:///gemini/dist/src/ui/components/shared/HalfLinePaddedBox.js:39:316)',
    `renderWithHooks (${react}:3221:22)`,
    `updateFunctionComponent (${react}:6475:19)`,
    `beginWork (${react}:8009:18)`,
    `performUnitOfWork (${react}:12834:22)`,
    `workLoopSync (${react}:12644:41)`,
  ]
  const stack = ['TypeError: Invalid count value: -1', ...calls.map((call) => `    at ${call}`)].join('\n')
  return `const { existsSync } = require('node:fs')
const { repeat } = String.prototype
let left = 2
String.prototype.repeat = function (count) {
  if (left === 0 || !existsSync(${JSON.stringify(file)}) || !new Error().stack.includes('renderWithHooks'))
    return repeat.call(this, count)
  left--
  throw Object.assign(new TypeError('Invalid count value: -1'), { stack: ${JSON.stringify(stack)} })
}
`
}

const plays: readonly Play[] = [
  {
    name: 'modes',
    turns: [[{ text: 'Well.' }]],
    steps: [
      { ...ready, keep: 'default' },
      { write: 'not sent yet' },
      { see: / > not sent yet$/m, keep: 'typed' },
      { keys: ['C-u', 'BTab'] },
      { see: [/accept/, /Type your message/], keep: 'edits' },
      { keys: ['BTab'] },
      { see: /plan/, keep: 'plan' },
      { keys: ['BTab', 'C-y'] },
      { see: /YOLO/, keep: 'yolo' },
      { keys: ['C-y'] },
      ready,
      { type: '/model' },
      { see: /Select Model/, keep: 'model-dialog' },
      { keys: ['Escape'] },
      ready,
      { type: '/model set gemini-2.5-pro' },
      { see: [/Model set to|gemini-2\.5-pro/, /Type your message/], keep: 'model-set' },
      { type: '/quit' },
      { see: /Pane is dead|To resume this session/, keep: 'ended' },
    ],
  },
  {
    name: 'working',
    // A broken turn does not count for 0.61, so what is broken comes last.
    turns: [[listed], [unfinished]],
    steps: [
      ready,
      { type: 'List.' },
      { see: [/That was a list/, /◇ {2}Ready/], keep: 'listed' },
      { type: 'Talk.' },
      { see: /Weighing the options \(esc to cancel/, keep: 'thinking' },
      { see: [/1\. Allow once is/, /esc to cancel/], keep: 'streaming' },
      { keys: ['Escape'] },
      { see: /Request cancelled/, keep: 'interrupted' },
      { type: 'Talk more.' },
      { see: /esc to cancel/ },
      { type: 'Later.' },
      { see: [/Queued/, /esc to cancel/], keep: 'queued' },
    ],
  },
  {
    name: 'long',
    // A prompt that begins with a dash is no option.
    start: { prompt: '- Go on' },
    turns: [[longList]],
    steps: [
      { see: [/That was all\./, /◇ {2}Ready/], keep: 'done' },
      { write: 'one' },
      { keys: ['M-Enter'] },
      { write: 'two' },
      { see: /^ *two$/m, keep: 'two-lines' },
    ],
  },
  {
    name: 'tools',
    turns: [
      [{ tools: [{ name: 'Bash', input: { command, description: 'Says numbers' } }] }, { text: 'Said.' }],
      [
        { tools: [{ name: 'Write', input: { file_path: 'long.txt', content: longFile } }] },
        { text: 'Written.' },
      ],
      [{ tools: [{ native: 'mcp_desk_lookup', input: { key: 'colour' } }] }, { text: 'Looked up.' }],
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
    ],
    async prepare(home) {
      await changeJson(home, '.gemini/settings.json', {
        ...(JSON.parse(await readFile(join(home.path, '.gemini/settings.json'), 'utf8')) as object),
        mcpServers: { desk: await mcpServer(home) },
      })
    },
    steps: [
      ready,
      { type: 'Run it.' },
      { see: asking, keep: 'shell' },
      { keys: ['2'] },
      { see: [/Said\./, /◇ {2}Ready/], keep: 'shell-done' },
      { type: 'Write it.' },
      { see: [asking, /Apply this change/], keep: 'long-write' },
      { keys: ['1'] },
      { see: [/Written\./, /◇ {2}Ready/] },
      { type: 'Look it up.' },
      { see: [asking, /MCP/], keep: 'mcp' },
      { keys: ['1'] },
      { see: [/Looked up\./, /◇ {2}Ready/] },
      { type: 'Change it.' },
      { see: [asking, /Apply this change/], keep: 'edit' },
      { keys: ['Escape'] },
      { see: [/◇ {2}Ready/, /Type your message/], keep: 'denied' },
    ],
  },
  {
    name: 'questions',
    turns: [
      [{ tools: [{ native: 'ask_user', input: { questions: [colour] } }] }, { text: 'Thanks.' }],
      [{ tools: [{ native: 'ask_user', input: { questions: [fruits, name, sure] } }] }, { text: 'Thanks.' }],
    ],
    steps: [
      ready,
      { type: 'Ask.' },
      { see: /Enter to select/, keep: 'choice' },
      { keys: ['3'] },
      { see: /Enter to submit/, keep: 'choice-own' },
      { type: 'mine' },
      { see: [/Thanks\./, /◇ {2}Ready/] },
      { type: 'Ask more.' },
      { see: /Enter to select/, keep: 'several' },
      { keys: ['1'] },
      { see: /\[x\] Apple/, keep: 'several-chosen' },
      { keys: ['Right'] },
      { see: /Your name/, keep: 'text' },
      { keys: ['Tab', 'Right'] },
      { see: /Review your answers/, keep: 'review' },
    ],
  },
  {
    name: 'plan',
    since: '0.61.0',
    start: { mode: 'plan' },
    turns: [
      [{ text: 'Planned.' }],
      [
        { tools: [{ native: 'exit_plan_mode', input: { plan_filename: 'plan.md', plan_path: 'plan.md' } }] },
        { text: 'Done.' },
      ],
    ],
    steps: [
      ready,
      { type: 'Plan.' },
      { see: [/Planned\./, /◇ {2}Ready/] },
      { do: writePlan },
      { type: 'Show it.' },
      { see: /Enter to select/, keep: 'approval' },
    ],
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
      { see: [/Again\./, /◇ {2}Ready/] },
      { type: 'Fail.' },
      { see: [/API Error/, /◇ {2}Ready/], keep: 'error' },
    ],
  },
  {
    name: 'crash',
    // Those after it end when they have said what they died of.
    until: '0.61.0',
    turns: [[unfinished]],
    prepare: (home) => writeFile(join(home.path, 'crash.cjs'), crashing(join(home.path, 'now'))),
    env: (home) => ({ NODE_OPTIONS: `--require ${join(home.path, 'crash.cjs')}` }),
    steps: [
      ready,
      { type: 'Talk.' },
      { see: /esc to cancel/ },
      { do: (home) => writeFile(join(home.path, 'now'), '') },
      { see: [/ERROR {2}Invalid count/, /workLoopSync/], keep: 'crashed' },
    ],
  },
  {
    name: 'trust',
    async prepare(home) {
      await writeFile(join(home.path, '.gemini/trustedFolders.json'), '{}')
    },
    steps: [{ see: /[Tt]rust (?:the files in )?this folder/, keep: 'folder' }],
  },
  {
    name: 'sign-in',
    async prepare(home) {
      await changeJson(home, '.gemini/settings.json', { security: {} })
    },
    steps: [{ see: /authenticate|sign in/i, keep: 'dialog' }],
  },
  {
    name: 'panels',
    steps: [
      ready,
      { type: '/theme' },
      { see: /Select Theme/, keep: 'theme' },
      { keys: ['Escape'] },
      ready,
      { type: '/editor' },
      { see: /Select Editor/, keep: 'editor' },
      { keys: ['Escape'] },
      ready,
      { type: '/settings' },
      { see: /Apply To/, keep: 'settings' },
    ],
  },
  {
    name: 'narrow',
    columns: 60,
    rows: 30,
    turns: [[{ tools: [{ name: 'Bash', input: { command, description: 'Says numbers' } }] }, unfinished]],
    steps: [
      { ...ready, keep: 'idle' },
      { type: 'Run it.' },
      { see: asking, keep: 'shell' },
      { keys: ['1'] },
      { see: [/goes on$/m, /^✦/], keep: 'streaming' },
    ],
  },
]

export const recorder: RecorderPart = {
  // Before, there were fewer modes, no questions and no plans; the common scenarios show what it had.
  plays: plays.map((play) => ({ since: '0.34.0', ...play })),
}

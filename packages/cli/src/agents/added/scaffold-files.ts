/** What the files of a new plugin are made for. */
export interface ScaffoldOptions {
  readonly id: string
  /** The version of the agent contract. */
  readonly contract: number
  /** The version of Remora. */
  readonly remora: string
}

/** The files of a new plugin, by name. @example writeScaffold({ id: 'mine', contract: 1, remora: '0.1.0' })['index.js'] */
export function writeScaffold(options: ScaffoldOptions): Readonly<Record<string, string>> {
  const { id } = options
  return {
    'package.json': `${JSON.stringify(writeManifest(options), null, 2)}\n`,
    'README.md': readme(id),
    'index.js': index(id),
    'headless.js': headless(id),
    'stream.js': stream(id),
    'tools.js': tools,
    'transcripts.js': transcripts(id),
    'agent.test.js': test,
  }
}

function writeManifest({ id, contract, remora }: ScaffoldOptions): object {
  return {
    name: `remora-agent-${id}`,
    version: '0.1.0',
    description: `${id} for Remora`,
    type: 'module',
    exports: './index.js',
    files: ['*.js', '!*.test.js'],
    // The version of the agent contract. Remora refuses a plugin for another version before it runs any of its code.
    remora: { contract },
    scripts: { test: 'node --test' },
    peerDependencies: { '@remora/sdk': `^${remora}` },
    devDependencies: { '@remora/sdk': `^${remora}` },
  }
}

const readme = (id: string): string => `# remora-agent-${id}

A [Remora](https://www.npmjs.com/package/@remora/cli) plugin for the coding agent \`${id}\`.

\`\`\`sh
remora agents add .      # install this folder; repeat it after each change
remora run ${id} "What is in this folder?"
remora agents remove ${id}
\`\`\`

Remora copies the folder. It runs the copy as part of itself, with your rights.

| file | what it knows | adapt |
|---|---|---|
| \`index.js\` | names, colors, how the CLI is found, what it can do | first |
| \`headless.js\` | the command line of one run | the CLI's own options |
| \`stream.js\` | one line of its output → events | the CLI's own records |
| \`tools.js\` | its tools, with Claude's names for them | the CLI's own tools |
| \`transcripts.js\` | where it stores sessions, one record → events | the CLI's own records |
| \`agent.test.js\` | the contract checks, which need no CLI | add recorded lines of the CLI |

Delete a part that the CLI does not have, and its line in \`index.js\`. A part that exists is a capability.
\`npm test\` runs the checks after \`npm install\`. \`remora agents add\` runs the same checks.
`

const index = (id: string): string => `import { defineAgent } from '@remora/sdk/agent'
import { headless } from './headless.js'
import { tools } from './tools.js'
import { transcripts } from './transcripts.js'

export default defineAgent({
  // Stored in ledgers, so it never changes.
  id: '${id}',
  title: '${toTitle(id)}',
  brand: {
    // Readable on the light and the dark background of the app.
    hue: { light: '#7a4bc2', dark: '#c3a6ff' },
    // The path of an SVG image in a box of 24 × 24.
    icon: { path: 'M12 3l9 9-9 9-9-9z' },
  },
  detection: {
    variable: '${id.toUpperCase().replaceAll('-', '_')}_CLI_PATH',
    command: '${id}',
    // The npm package of the CLI, so that Remora need not start it to learn its version:
    // package: '@example/${id}',
    install: 'npm install -g ${id}',
  },
  // Its permission modes by native id, and what each is like among the modes of all agents.
  modes: [{ id: 'default', label: 'Default', like: 'ask' }],
  // What a version of the CLI can do, apart from what the parts below say.
  features: (version) => ({
    interrupt: true,
    resume: true,
    fork: false,
    attach: false,
    statusLine: false,
    images: false,
    streaming: true,
    webSearch: false,
    thinking: false,
    slashCommands: false,
    models: [],
    effortLevels: [],
  }),
  headless,
  transcripts,
  tools,
  // An agent that speaks ACP gets all of it by one line:
  // acp: createCommandPart(['--acp']),
})
`

const headless = (id: string): string => `import { createUnsupportedError } from '@remora/sdk/agent'
import { createReader } from './stream.js'

/** One prompt, answered as JSON lines. @type {import('@remora/sdk/agent').HeadlessPart} */
export const headless = {
  invocation(request, version) {
    // An option that the CLI lacks must fail, so that the caller learns of it.
    if (request.mode !== undefined && request.mode !== 'default')
      throw createUnsupportedError('${toTitle(id)}', \`the mode \${request.mode}\`, 'Leave it out.')
    const args = ['--output', 'json-lines']
    if (request.model !== undefined) args.push('--model', request.model)
    if (request.resume !== undefined) args.push('--resume', request.resume)
    // On standard input, since every user of the machine can see arguments.
    return { args: [...args, ...(request.extraArgs ?? [])], stdin: request.prompt }
  },
  reader: createReader,
}
`

const stream = (
  id: string,
): string => `import { asRecord, asString, mapCall, readRecord, toPromptBlocks } from '@remora/sdk/agent'
import { tools } from './tools.js'

/**
 * Reads the output of one run. The records here are an example:
 *
 * {"type":"start","session":"s1","model":"m"}
 * {"type":"text","message":"m1","text":"Hello"}
 * {"type":"call","id":"c1","name":"shell","input":{"command":"ls"}}
 * {"type":"result","id":"c1","output":"a.txt","failed":false}
 * {"type":"end","reason":"done"}
 *
 * @param {import('@remora/sdk/agent').EventMaker} maker
 * @param {import('@remora/sdk/agent').HeadlessRequest} request
 * @returns {import('@remora/sdk/agent').HeadlessReader}
 */
export function createReader(maker, request) {
  const run = \`\${maker.source}/\${maker.started()}\`
  let ended = false
  let texts = 0

  return {
    read: (line) =>
      readRecord(maker, line, (record) => {
        // Every record begins with \`next\`: its events get the same time and numbered keys.
        maker.next()
        const fields = toFields(record)
        // Undefined makes it an \`unknown\` event, which is stored and counted.
        return fields?.map((each, index) => maker.make(index === 0 ? { ...each, raw: record } : each))
      }),
    end: ({ code }, stderr) =>
      ended && code === 0
        ? { ok: true, stopReason: 'end_turn' }
        : { ok: false, failure: { message: stderr.trim().split('\\n').at(-1) || \`${id} ended with code \${code}\` } },
  }

  function toFields(record) {
    const id = asString(record.id)
    switch (record.type) {
      case 'start':
        maker.session = asString(record.session) ?? ''
        return [
          { type: 'session', entity: maker.session, ...(asString(record.model) ? { model: record.model } : {}) },
          { type: 'message', entity: \`\${run}/prompt\`, role: 'user', content: toPromptBlocks(request) },
        ]
      case 'text': {
        const [text, message] = [asString(record.text), asString(record.message)]
        if (text === undefined || message === undefined) return undefined
        // The whole text of a block. For parts of it, \`offset\` is the position of each part.
        return [
          { type: 'message', entity: message, role: 'assistant' },
          { type: 'text', entity: \`\${run}/text/\${texts++}\`, message, offset: 0, text, final: true },
        ]
      }
      case 'call': {
        const name = asString(record.name)
        if (id === undefined || name === undefined) return undefined
        const input = asRecord(record.input) ?? {}
        return [{ type: 'tool_use', entity: id, ...mapCall(tools, name, input), native: { name, input } }]
      }
      case 'result':
        if (id === undefined) return undefined
        return [
          {
            type: 'tool_result',
            entity: id,
            status: record.failed === true ? 'error' : 'success',
            ...(asString(record.output) === undefined ? {} : { content: [{ type: 'text', text: record.output }] }),
          },
        ]
      case 'end':
        ended = true
        return []
      default:
        return undefined
    }
  }
}
`

const tools = `import { defineTools, renameFields } from '@remora/sdk/agent'

/** The CLI's own tools, with Claude's name for each, which says what kind of tool it is. */
export const tools = defineTools({
  shell: { claude: 'Bash' },
  read_file: { claude: 'Read', toInput: (input) => renameFields(input, { path: 'file_path' }) },
  write_file: {
    claude: 'Write',
    toInput: (input) => renameFields(input, { path: 'file_path', text: 'content' }),
  },
})
`

const transcripts = (id: string): string => `import { isAbsolute, join } from 'node:path'
import { asRecord, asString, mapCall, parseTime } from '@remora/sdk/agent'
import { tools } from './tools.js'

/**
 * Reads the sessions that the CLI stores. The records here are an example, one per line of ~/.${id}/sessions/<id>.jsonl:
 *
 * {"${id}":1,"id":"r1","session":"s1","time":"2026-01-01T10:00:00Z","cwd":"/work","type":"user","text":"Hello"}
 * {"${id}":1,"id":"r2","session":"s1","time":"2026-01-01T10:00:01Z","type":"assistant","text":"Hi"}
 *
 * @type {import('@remora/sdk/agent').TranscriptsPart}
 */
export const transcripts = {
  root: ({ home }) => join(home, '.${id}', 'sessions'),
  isSession: (path) => path.endsWith('.jsonl') && !isAbsolute(path),
  format: () => 'lines',
  // Files elsewhere belong to this agent if their first record says so.
  isOwnRecord: (record) => record['${id}'] === 1,
  resume: (session) => ({ args: ['--resume', session] }),
  reader(maker) {
    return {
      read(record) {
        const [id, session] = [asString(record.id), asString(record.session)]
        if (id === undefined || session === undefined) return undefined
        maker.session = session
        const at = parseTime(record.time)
        if (at !== undefined) maker.at = at
        const fields = toFields(id, record)
        if (fields === undefined) return undefined
        const cwd = asString(record.cwd)
        const all = cwd === undefined ? fields : [{ type: 'session', entity: session, cwd }, ...fields]
        return all.map((each, index) => maker.make(index === 0 ? { ...each, raw: record } : each))
      },
      // What \`read\` needs to continue later, as JSON.
      state: () => ({}),
    }
  },
}

function toFields(id, record) {
  const text = asString(record.text)
  if (record.type === 'user' && text !== undefined)
    return [{ type: 'message', entity: id, role: 'user', content: [{ type: 'text', text }] }]
  if (record.type === 'assistant' && text !== undefined)
    return [
      { type: 'message', entity: id, role: 'assistant' },
      { type: 'text', entity: \`\${id}/0\`, message: id, offset: 0, text, final: true },
    ]
  const name = asString(record.name)
  if (record.type === 'call' && name !== undefined) {
    const input = asRecord(record.input) ?? {}
    return [{ type: 'tool_use', entity: id, ...mapCall(tools, name, input), native: { name, input } }]
  }
  return undefined
}
`

const test = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventMaker, checkAgent } from '@remora/sdk/agent'
import agent from './index.js'

test('passes the contract checks', async () => {
  assert.deepEqual(await checkAgent(agent), [])
})

test('reads the output of a run', () => {
  const maker = new EventMaker({ agent: agent.id, channel: 'headless', source: 'run' })
  const reader = agent.headless.reader(maker, { prompt: 'Hello' })
  // Replace these lines by recorded ones of the CLI.
  const lines = [
    '{"type":"start","session":"s1","model":"m"}',
    '{"type":"text","message":"m1","text":"Hi"}',
    '{"type":"call","id":"c1","name":"shell","input":{"command":"ls"}}',
    '{"type":"result","id":"c1","output":"a.txt","failed":false}',
    '{"type":"end","reason":"done"}',
  ]
  const events = lines.flatMap((line) => reader.read(line))
  const types = ['session', 'message', 'message', 'text', 'tool_use', 'tool_result']
  assert.deepEqual(events.map(({ type }) => type), types)
  assert.equal(events[4].name, 'Bash')
  assert.deepEqual(reader.end({ code: 0, signal: null }, ''), { ok: true, stopReason: 'end_turn' })
})
`

/** @example toTitle('my-agent') // 'My agent' */
function toTitle(id: string): string {
  const words = id.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

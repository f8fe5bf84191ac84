import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ledger } from '@remora/ledger'
import type { EventRecord, LiveInfo } from '@remora/protocol'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'
import { galleryStory, redPicture } from './gallery.test-data.ts'
import { somePast, store } from './sessions.test-data.ts'
import type { WebStage } from './stage.test-data.ts'

const day = 24 * 60 * 60_000

/** A machine where agents have worked for a while. */
export interface Scene {
  /** The session with a call of every tool. */
  readonly chat: string
  readonly live: LiveInfo
  /** The URL of every screen. */
  readonly screens: Readonly<Record<string, string>>
  /** Makes an agent ask for permission; a second call withdraws the request. */
  ask(): Promise<void>
}

export async function buildScene(stage: WebStage): Promise<Scene> {
  const { ledger, approvals } = stage.server.context
  await makeProject(stage.cwd)
  await store(ledger, somePast('/home/ann'))
  const gallery = galleryStory(join(stage.cwd, 'red.png'))
  await ledger.append(gallery.records)
  await ledger.append(shortTalk())
  await addFailures(ledger)
  await ledger.indexText()
  const started = await stage.start({ prompt: 'Which of our tests are slow?' })
  const live = await stage.until('the session is ready', () =>
    stage.server.context.live.list().find(({ id, state }) => id === started.id && state === 'idle'),
  )
  await writeFile(join(stage.cwd, 'src', 'greet.ts'), greet('Good morning, ${name}!'))
  const chat = `/session/${gallery.story.agent}/${gallery.story.session}`
  const own = `/session/${live.agent}/${live.session}`
  return {
    chat,
    live,
    screens: {
      sessions: '/',
      chat,
      talk: '/session/gemini/talk',
      live: own,
      terminal: `${own}/terminal`,
      changes: `${own}/changes`,
      files: `${own}/files`,
      new: '/new',
      search: '/search',
      insights: '/insights',
      usage: '/insights/usage',
      settings: '/settings',
      devices: '/settings/devices',
      notifications: '/settings/notifications',
      instructions: '/settings/instructions',
      appearance: '/settings/appearance',
      about: '/settings/about',
      'not found': '/nowhere',
    },
    async ask() {
      await approvals.open(
        { agent: live.agent, session: live.session },
        {
          id: 'ask-1',
          kind: 'permission',
          title: 'npm run build',
          tool: 'Bash',
          input: { command: 'npm run build && npm test', description: 'Build the app and run the tests' },
          options: [
            { id: 'once', label: 'Allow once', effect: 'allow' },
            { id: 'always', label: 'Allow for this session', effect: 'allow_always' },
            { id: 'no', label: 'Deny', effect: 'deny' },
          ],
          digest: 'd1',
        },
        async () => 'done',
      )
    },
  }
}

const greet = (text: string): string =>
  `/** Returns a greeting. */\nexport function greet(name: string): string {\n  return \`${text}\`\n}\n`

async function makeProject(cwd: string): Promise<void> {
  await mkdir(join(cwd, 'src'), { recursive: true })
  await writeFile(join(cwd, 'src', 'greet.ts'), greet('Hello, ${name}'))
  await writeFile(join(cwd, 'README.md'), '# Greetings\n\nA small library.\n')
  await writeFile(join(cwd, 'red.png'), Buffer.from(redPicture, 'base64'))
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    })
  git('init', '--quiet', '-b', 'main')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'first')
}

/** A turn that fits on a screen. */
function shortTalk(): EventRecord[] {
  const story = new Story({ agent: 'gemini', session: 'talk', source: 'talk' })
  const at = Date.now() - 4 * 60_000
  const file = '/home/ann/code/webshop/src/cart.ts'
  const call = (
    entity: string,
    message: string,
    name: string,
    input: object,
    content: string,
  ): EventRecord[] => [
    ...story.tell({ type: 'tool_use', entity, message, name, input, at }),
    ...story.tell({ type: 'tool_result', entity, status: 'success', content, at: at + 900 }),
  ]
  const say = (message: string, text: string): EventRecord[] =>
    story.tell({ type: 'text', entity: `${message}/0`, message, offset: 0, text, final: true, at })
  return [
    ...story.tell({
      type: 'session',
      entity: 's',
      cwd: '/home/ann/code/webshop',
      model: 'gemini-3-pro',
      title: 'The cart forgets the discount',
      at,
    }),
    ...story.tell({
      type: 'message',
      entity: 'p',
      role: 'user',
      content: [{ type: 'text', text: 'The cart forgets the discount when I change the amount. Why?' }],
      at,
    }),
    ...say('m1', 'Let me check how the total is calculated.'),
    ...call('t1', 'm1', 'Read', { file_path: file }, '    1→export function total(cart: Cart): number {'),
    ...say('m2', 'It is recalculated from the prices, without the discount:'),
    ...call(
      't2',
      'm2',
      'Edit',
      {
        file_path: file,
        old_string: '  return sum(cart.items.map(priceOf))',
        new_string: '  const full = sum(cart.items.map(priceOf))\n  return full - (cart.discount ?? 0)',
      },
      'ok',
    ),
    ...call('t3', 'm2', 'Bash', { command: 'npm test -- cart' }, ' ✓ 14 tests passed'),
    ...say(
      'm3',
      'Fixed: `total` now subtracts the discount after every change. A new **test** changes the amount after a code was entered. All 14 tests pass.',
    ),
    ...story.tell({
      type: 'usage',
      entity: 'm3',
      scope: 'message',
      usage: { inputTokens: 41_200, outputTokens: 1_800 },
      at,
    }),
  ]
}

/** Repeated failures of two weeks. */
async function addFailures(ledger: Ledger): Promise<void> {
  const failing: [agent: string, tool: string, input: object, error: string][] = [
    ['claude', 'Bash', { command: 'rg TODO src' }, 'Exit code 127\nbash: rg: command not found'],
    ['gemini', 'Bash', { command: 'python app.py' }, 'Exit code 127\nbash: python: command not found'],
    ['gemini', 'Read', { file_path: 'src/main.py' }, 'File not found: src/main.py'],
    [
      'codex',
      'Edit',
      { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
      'String to replace not found in file.',
    ],
    ['opencode', 'search_files', { query: 'x' }, 'No such tool available: search_files'],
  ]
  const records: EventRecord[] = []
  for (let back = 14; back >= 1; back--)
    for (const [index, [agent, name, input, error]] of failing.entries()) {
      if ((back * (index + 2)) % 3 === 0) continue
      const story = new Story({
        agent,
        session: `failing-${agent}-${back}`,
        source: `failing ${agent} ${back} ${index}`,
      })
      const at = Date.now() - back * day + index * 60_000
      records.push(
        ...story.tell({
          type: 'session',
          entity: 's',
          cwd: '/home/ann/code/api',
          title: 'Find the remaining TODOs',
          at,
        }),
        ...story.tell({
          type: 'message',
          entity: 'p',
          role: 'user',
          content: [{ type: 'text', text: 'Continue' }],
          at,
        }),
        ...story.tell({ type: 'tool_use', entity: `t${index}`, message: 'm', name, input, at }),
        ...story.tell({
          type: 'tool_result',
          entity: `t${index}`,
          status: 'error',
          content: error,
          at: at + 500,
        }),
        ...story.tell({
          type: 'usage',
          entity: 'm',
          scope: 'message',
          usage: { inputTokens: 20_000 + back * 900, outputTokens: 1_500 },
          at,
        }),
      )
    }
  await ledger.append(records)
}

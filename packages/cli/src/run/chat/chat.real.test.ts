import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { startScriptedModel } from '@remora/scripted-model'
import { isRunning } from '@remora/sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHome, pinned, repository } from '../../../../../testkit/src/index.ts'
import { openTerminal } from '../../../../../testkit/src/recorder/tmux.ts'
import { fakeAgent } from '../../../../sdk/src/channels/acp/fake-agent/command.test-data.ts'

const remora = [
  process.execPath,
  '--import',
  import.meta.resolve('tsx'),
  join(repository, 'packages/cli/src/bin.ts'),
]

/** Opens a terminal of 80 columns that runs programs one after the other and prints their exit codes. */
async function openPane(programs: readonly (readonly string[])[], cwd: string, env: Record<string, string>) {
  const line = (words: readonly string[]): string =>
    words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const script = programs.map((words) => `${line(words)}; echo code $?`).join('; ')
  const pane = await openTerminal(['sh', '-c', `tmux resize-window -x 80 -y 60; ${script}`], { cwd, env })
  onTestFinished(() => pane[Symbol.asyncDispose]())
  const prompt = /^›$/m
  return {
    ...pane,
    /** Waits until the text from the last occurrence of `words` matches, and returns it. */
    async below(words: string, expected: RegExp): Promise<string> {
      const part = (text: string): string => text.slice(text.lastIndexOf(words))
      const screen = await pane.until(`${words} … ${String(expected)}`, ({ text }) =>
        expected.test(part(text)),
      )
      return part(screen.text)
    },
    async say(...pieces: readonly string[]): Promise<void> {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await pane.key('M-Enter')
        await pane.key(piece)
      }
      await pane.key('Enter')
    },
    /** Pastes like a terminal: with paste marks, in one chunk. */
    paste: (text: string) => pane.key(`\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`),
    ready: (words: string) =>
      pane.until('ready', ({ text }) => prompt.test(text.slice(text.lastIndexOf(words)))),
  }
}

describe('remora chat in a terminal', () => {
  it('offers the sign-in methods of an agent that demands one, and uses none unasked', async () => {
    const { folder, env } = stage()
    const record = join(folder, 'record')
    const authMethods = [
      { id: 'key', name: 'API key' },
      { id: 'account', name: 'Account', description: 'Opens a browser' },
    ]
    const { command, args = [] } = fakeAgent({ signIn: 'account', authMethods, record })
    const chat = [...remora, 'chat', 'fake', '--', command, ...args]
    const pane = await openPane([chat, chat], folder, env)
    const asking = /Your choice \(1-2, Enter to quit\) ›$/m
    const { text } = await pane.until('the methods', (screen) => asking.test(screen.text))
    expect(text).toContain(
      'fake: Authentication required\nSign in to continue:\n  1  API key\n  2  Account: Opens a browser\n',
    )
    expect(readFileSync(record, 'utf8')).not.toContain('"authenticate"')
    // An empty line declines, and the reason stays.
    await pane.key('Enter')
    const declined = /Your choice[^]*Sign in with fake itself[^]*\ncode 1\n[^]*Your choice.*›$/m
    await pane.until('the second chat', (screen) => declined.test(screen.text))
    expect(readFileSync(record, 'utf8')).not.toContain('"authenticate"')
    await pane.say('2')
    await pane.ready('Signing in')
    expect(readFileSync(record, 'utf8')).toContain('"methodId":"account"')
    await pane.say('say The whale sings.')
    await pane.below('› say', /^The whale sings\.$/m)
  }, 240_000)

  it('does not sign in without a terminal', async () => {
    const { folder, remoraHere } = stage()
    const record = join(folder, 'record')
    const authMethods = [{ id: 'key', name: 'API key' }]
    const { command, args = [] } = fakeAgent({ signIn: 'key', authMethods, record })
    const { code, err } = await remoraHere(['chat', 'fake', '--', command, ...args], 'Hello\n')
    expect([code, err]).toEqual([1, expect.stringContaining('Its ways: key.')])
    expect(readFileSync(record, 'utf8')).not.toContain('"authenticate"')
  })

  it('chats with the real Gemini CLI', async () => {
    // One answer never ends, so the test can interrupt it at any time.
    const hold = (piece: string) => (piece.includes('"never') ? new Promise<void>(() => {}) : undefined)
    const model = await startScriptedModel({ hold })
    onTestFinished(() => model.close())
    const home = await createHome('gemini', { model })
    onTestFinished(() => home.remove())
    const env = { ...home.env, GEMINI_CLI_PATH: pinned('gemini').path }
    const chat = [...remora, 'chat', 'gemini']
    const pane = await openPane([chat, [...chat, '--resume', 'latest']], home.cwd, env)

    const { text } = await pane.ready('Gemini')
    expect(text).toBe(`Gemini CLI 0.61.0 · ~/work · mode Manual · model auto
/help: list commands, Ctrl+C: stop the turn, Ctrl+D: quit

›
`)
    await pane.say('SAY: Hello there.')
    expect(await pane.below('› SAY', /^›$/m)).toMatch(
      /^› SAY: Hello there\.\nHello there\.\n\d+ in · \d+ out · \d+\.\d s\n\n›\n$/,
    )

    await pane.say('RUN: echo made > made.txt')
    expect(await pane.below('› RUN', /Your choice/)).toMatch(
      /^› RUN: .*\n▸ Bash echo made > made\.txt\n\? echo made > made\.txt\n {4}Shown by the agent:\n {4}│ \[current [^\]]*\]\n {2}1 {2}Allow for this session \(a\)\n {2}2 {2}Allow \(y\)\n {2}3 {2}Reject \(n\)\nYour choice \(1-3, y, n, a\) ›\n$/,
    )
    await pane.say('y')
    expect(await pane.below('Your choice', /^›$/m)).toMatch(/› y\n✓ Bash echo made > made\.txt\nDone: /)
    expect(readFileSync(join(home.cwd, 'made.txt'), 'utf8')).toBe('made\n')

    await pane.say('WRITE: note.txt hello')
    expect(await pane.below('› WRITE', /Your choice/)).toMatch(
      // The length of the path depends on the folder for temporary files.
      /\? Writing to note\.txt\n {4}Tool:\n {4}│ Write\n[^+]+\n {4}│ \+hello\n {2}1 /,
    )
    await pane.say('n')
    expect(await pane.below('Your choice', /^›$/m)).toMatch(/› n\n✗ Write note\.txt: denied\n/)
    expect(existsSync(join(home.cwd, 'note.txt'))).toBe(false)

    await pane.say('/mode')
    expect(await pane.below('› /mode', /^›$/m)).toContain('● default    Manual\n')
    await pane.say('/mode plan')
    expect(await pane.below('› /mode', /^›$/m)).toContain('The mode is now Plan.\n')

    await pane.say('SLOW 50', 'SAY: one two never')
    await pane.below('› SLOW', /^one two/m)
    await pane.key('C-c')
    expect(await pane.below('› SLOW', /^›$/m)).toMatch(
      /\nStopping\. Press Ctrl\+C again to quit\.\nStopped\.\n\n›\n$/,
    )

    await pane.say('/quit')
    expect(await pane.below('› /quit', /code/)).toMatch(
      /^› \/quit\nResume later: remora chat gemini --resume [\w-]{36}\ncode 0\n/,
    )
    // Make the session older, because resuming waits until the minute of its start has passed.
    age(join(home.path, '.gemini'))
    await pane.ready('code 0')
    expect((await pane.screen()).text.slice(-400)).toMatch(
      /\n\d+ messages so far, started with: SAY: Hello there\.\n/,
    )
    await pane.say('SAY: I am back.')
    expect(await pane.below('› SAY: I am', /^›$/m)).toMatch(/\nI am back\.\n/)
    await pane.key('C-d')
    await pane.below('I am back.', /Resume later: .*\ncode 0\n/)
  }, 600_000)

  it('queues prompts typed during a turn, and accepts an answer from another process', async () => {
    const { folder, env, chat } = stage()
    const pane = await openPane([chat], folder, env)
    await pane.ready('Fake agent')
    await pane.say('until first', 'say First.')
    await pane.say('say Second.')
    await pane.below('… say Second.', /^Queued/m)
    writeFileSync(join(folder, 'first'), '')
    expect(await pane.below('… say Second.', /^›$/m)).toMatch(
      /^… say Second\.\nQueued: sent after this turn\.\nFirst\.\n[\d.]+ s\n\n› say Second\.\nSecond\.\n/,
    )
    await pane.say('until made', 'tool execute make')
    await pane.key('half a')
    await pane.below('› until made', /^… half a$/m)
    writeFileSync(join(folder, 'made'), '')
    await pane.below('› until made', /Your choice .*›$/m)
    await answer(join(folder, '.remora/ledger.db'), 'proceed_once')
    expect(await pane.below('› until made', /^› half a$/m)).toMatch(
      /\nAnswered elsewhere: Allow\nchose proceed_once;\n✓ /,
    )
    // The first Ctrl+C clears the input line.
    await pane.key('C-c')
    await pane.ready('Answered elsewhere')
    await pane.say('tool execute rm')
    await pane.below('› tool execute rm', /Your choice .*›$/m)
    await pane.key('C-c')
    expect(await pane.below('› tool execute rm', /^›$/m)).toMatch(/\nWithdrawn\.\n[\s\S]*Stopped\.\n\n›\n$/)
    await pane.key('C-d')
    await pane.below('Withdrawn', /code 0/)
  }, 300_000)

  it('reads pasted text as one prompt, and restarts an agent that exited', async () => {
    const { folder, env, chat } = stage()
    const pane = await openPane([chat], folder, env)
    await pane.ready('Fake agent')
    await pane.paste('say One.\nsay Two.')
    await pane.key('Enter')
    expect(await pane.below('↵', /^›$/m)).toMatch(/One\.Two\.\n/)
    await pane.say('die 3')
    expect(await pane.below('› die 3', /^›$/m)).toMatch(
      /^› die 3\nI die\nremora: .*\n[\s\S]*Restarting the agent…\n/,
    )
    await pane.say('say Back.')
    expect(await pane.below('› say Back', /^›$/m)).toMatch(/\nBack\.\n/)
    await pane.say('hang')
    await pane.until('working', ({ text }) => /^… ?$/m.test(text))
    // In one write, because two Ctrl+C that are far apart do not leave the chat.
    await pane.write('\u0003\u0003')
    await pane.below('› hang', /code 130/)
  }, 300_000)
})

describe('remora chat in a pipe', () => {
  it('answers one prompt per line, and denies approval requests', async () => {
    const { run } = stage()
    const ended = await run([], 'say Hello.\n\ntool execute make\n/mode\nsay Bye.\n')
    expect(ended.code).toBe(0)
    expect(ended.out).toMatch(/^Hello\.\n▸ .*make ✗ denied\nchose cancel;\nBye\.\n$/)
    expect(ended.err).toMatch(
      /^The agent does not list its modes[\s\S]*Resume: remora chat fake --resume fake-\S+ -- /,
    )
  })

  it('allows requests with --permissions allow, and stops at the first failure', async () => {
    const { run } = stage()
    const ended = await run(['--permissions', 'auto'], 'tool execute make\nerror 500\nsay Never.\n')
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.out).toContain('chose proceed_once;')
    expect(ended.out).not.toContain('Never')
    expect(ended.err).toMatch(/^remora: .+\n/m)
  })

  it('waits for an answer in the ledger with --permissions ask', async () => {
    const { run, folder } = stage()
    let answered: Promise<void> | undefined
    const ended = await run(['--permissions', 'ask'], 'tool execute make\n', (err) => {
      if (err.includes('Waiting for approval: make\n'))
        answered ??= answer(join(folder, '.remora/ledger.db'), 'proceed_always')
    })
    await answered
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.out).toContain('chose proceed_always;')
  })

  it('stops with the agent on a signal', async () => {
    const { folder, env, chat } = stage()
    const [program, ...words] = chat
    const child = spawn(program!, words, { cwd: folder, env })
    child.stdin.write('children\nwait\n')
    let out = ''
    let isStopped = false
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (isStopped || !out.includes('\n')) return
      // Only once: a second signal exits immediately and leaves the agent to its watchdog.
      isStopped = true
      // The first turn has ended, and the second one is waiting.
      setTimeout(() => child.kill('SIGINT'), 300)
    })
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130)
    const pid = Number(/child (\d+)/.exec(out)![1])
    expect(await isRunning({ pid })).toBe(false)
  })

  it('stores every message for the trace', async () => {
    const { run, remoraHere } = stage()
    const json = await run(['--json'], 'say Hello.\nsay Again.\n')
    const types = json.out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types.filter((type) => type === 'done')).toHaveLength(2)
    expect(json.err).toBe('')
    const { out } = await remoraHere(['trace', 'latest', '--json'])
    const wire = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: { method?: string } })
    expect(wire.flatMap(({ message }) => message.method ?? [])).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      'session/update',
      'session/prompt',
      'session/update',
    ])
    expect(wire).toHaveLength(10)
  })

  it('prints no resume command without a turn', async () => {
    const { run } = stage()
    expect(await run([], '\n')).toEqual({ code: 0, out: '', err: '' })
    const failed = await run([], 'error 401\n')
    expect(failed.err).toMatch(/^remora: .+\n {2}.+\n$/)
  })

  it('reports an invalid key of the real Gemini CLI in two lines', async () => {
    const model = await startScriptedModel({})
    onTestFinished(() => model.close())
    const home = await createHome('gemini', { model })
    onTestFinished(() => home.remove())
    const { remoraHere } = stage()
    const env = { ...home.env, GEMINI_CLI_PATH: pinned('gemini').path }
    const ended = await remoraHere(['chat', 'gemini'], 'FAULT: 401\n', undefined, { cwd: home.cwd, env })
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toMatch(/^remora: [^{}\n]+\n {2}.+\n$/)
  })

  it('reports an unknown agent in two lines', async () => {
    const { remoraHere } = stage()
    const unknown = await remoraHere(['chat', 'gemnii'])
    expect(unknown).toEqual({
      code: 2,
      out: '',
      err: 'remora: Unknown agent "gemnii"\n  Did you mean gemini?\n',
    })
    const empty = await remoraHere(['chat', 'mine', '--'])
    expect(empty).toMatchObject({ code: 2, out: '' })
    expect(empty.err).toMatch(
      /^remora: Unknown agent "mine", and no command after --\n {2}Add a command: .+\n$/,
    )
    const missing = await remoraHere(['chat', 'nothing', '--', 'no-such-program-here'])
    expect(missing.code).toBe(3)
    expect(missing.err).toMatch(/^remora: .+\n {2}.+\n$/)
  })
})

/** Creates a folder and an environment for the fake agent. */
function stage() {
  const folder = mkdtempSync(join(tmpdir(), 'remora-chat-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { command, args = [] } = fakeAgent()
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const words = (more: readonly string[]) => ['chat', 'fake', ...more, '--', command, ...args]
  const remoraHere = (
    line: readonly string[],
    input = '',
    onError?: (err: string) => void,
    place: { cwd: string; env: Record<string, string> } = { cwd: folder, env },
  ) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
      const [program, ...first] = remora
      const child = spawn(program!, [...first, ...line], place)
      let [out, err] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text
        onError?.(err)
      })
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, out, err }))
      child.stdin.on('error', () => {})
      child.stdin.end(input)
    })
  return {
    folder,
    env,
    chat: [...remora, ...words([])],
    remoraHere,
    run: (more: readonly string[], input: string, onError?: (err: string) => void) =>
      remoraHere(words(more), input, onError),
  }
}

/** Answers the pending ask of a ledger, like another process. */
async function answer(file: string, option: string): Promise<void> {
  const ledger = await openLedger({ file })
  try {
    const waiting = await vi.waitUntil(async () => (await ledger.asks.pending())[0], { timeout: 60_000 })
    const { ask, ...key } = waiting
    await ledger.asks.answer(key, { ask: ask.id, option, by: 'person', digest: ask.digest })
  } finally {
    await ledger.close()
  }
}

/** Renames Gemini's session files to an earlier date. */
function age(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/session-\d{4}-[^/]*$/.test(name))
      renameSync(join(folder, name), join(folder, name.replace(/session-\d{4}-(?=[^/]*$)/, 'session-2025-')))
}

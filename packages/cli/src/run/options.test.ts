import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMode } from '@remora/protocol/plain'
import { profiles } from '@remora/sdk/profiles'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { duration } from '../args/time-option.ts'
import { getModeLabel, listModeWords } from '../args/modes.ts'
import { parse } from '../args/parse.ts'
import { readPrompt } from '../args/read-prompt.ts'
import { splitCommand } from '../args/split-command.ts'
import type { Io } from '../command/io.ts'
import { main } from '../main.ts'
import { mcpServers, readOptions } from './read-options.ts'
import { run } from './verbs.ts'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'remora-run-'))
  await writeFile(join(cwd, 'schema.json'), '{"type": "object"}')
  await writeFile(join(cwd, 'list.json'), '[]')
  await writeFile(join(cwd, 'broken.json'), '{')
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

function world(stdin?: { terminal: boolean; text?: string }) {
  const printed = { out: '', err: '' }
  const io: Io = {
    env: { HOME: cwd, PATH: cwd },
    cwd,
    home: cwd,
    platform: 'linux',
    terminal: false,
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    ...(stdin ? { stdin: { terminal: stdin.terminal, read: async () => stdin.text ?? '' } } : {}),
  }
  return { io, printed }
}

const options = (...words: string[]) => readOptions(parse(run, ['gemini', 'hi', ...words]), world().io)

describe('the options of a run', () => {
  it('contain only given options', async () => {
    expect(await options()).toEqual({ cwd })
  })

  it('map to the options of the SDK', async () => {
    expect(
      await options(
        ...'--mode plan -m flash --effort high --resume latest --fork --skip-trust'.split(' '),
        ...'--attach a.png --attach /b.pdf --allow x --allow y --mcp web=https://example.org/mcp'.split(' '),
        ...'--timeout 5m --idle-timeout 90 --startup-timeout 500ms --retries 2 --schema schema.json'.split(
          ' ',
        ),
        '--mcp',
        'files=npx -y server "/my folder"',
        '--system',
        'Be brief.',
        ...'--cwd sub -- --debug -- -x'.split(' '),
      ),
    ).toEqual({
      cwd: join(cwd, 'sub'),
      mode: 'plan',
      model: 'flash',
      effort: 'high',
      resume: 'latest',
      fork: true,
      skipTrust: true,
      systemPrompt: 'Be brief.',
      media: [{ path: join(cwd, 'a.png') }, { path: '/b.pdf' }],
      allow: ['x', 'y'],
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'server', '/my folder'] },
        web: { url: 'https://example.org/mcp' },
      },
      timeouts: { startup: 500, idle: 90_000, total: 300_000 },
      retry: { attempts: 3 },
      output: { type: 'object' },
      extraArgs: ['--debug', '--', '-x'],
    })
  })

  it.each([
    [['--timeout', 'soon'], 'Invalid value "soon" for --timeout'],
    [['--timeout', '0'], 'Invalid value "0" for --timeout'],
    [['--timeout', '1000h'], 'Invalid value "1000h" for --timeout'],
    [['--retries', '-1'], 'Invalid value "-1" for --retries'],
    [['--retries', '20'], 'Invalid value "20" for --retries'],
    [['--mcp', 'files'], 'Invalid value "files" for --mcp'],
    [['--mcp', 'files="npx'], 'Invalid value "files="npx" for --mcp'],
    [['--mcp', 'a=b', '--mcp', 'a=c'], '--mcp uses the name "a" twice'],
    [['--schema', 'none.json'], 'Cannot read'],
    [['--schema', 'list.json'], 'list.json is not a JSON schema'],
    [['--schema', 'broken.json'], 'broken.json is not a JSON schema'],
  ])('refuse %j', async (words, message) => {
    await expect(options(...words)).rejects.toThrow(message)
  })
})

it.each([
  [['run'], 'remora run needs <agent>', 'See: remora run --help'],
  [['run', 'gemni', 'hi'], 'Unknown agent "gemni"', 'Did you mean gemini?'],
  [['run', 'gemini,gemini', 'hi'], 'gemini is named twice', 'Name each agent once'],
  [['run', 'gemini'], 'The prompt is missing', 'Pass it: remora run <agent> "…", or pipe it in'],
  [['run', 'gemini', 'hi', 'there'], 'Unexpected argument "there" for remora run', 'See: remora run --help'],
  [
    ['run', 'gemini', 'hi', '--mode=wild'],
    'Gemini CLI has no mode "wild"',
    /^Its modes: default, auto_edit, plan, yolo/,
  ],
  [['run', 'gemini', 'hi', '--json', '-q'], '--json and --quiet cannot be combined', 'Leave one of them out'],
  [
    ['run', 'gemini,claude', 'hi', '-r', '1'],
    '--resume with a session id needs exactly one agent',
    /--resume latest$/,
  ],
  [['run', 'gemini', 'hi', '--fork'], 'run: fork needs resume', /./],
])('%j is refused with two lines and exit code 2', async (words, what, hint) => {
  const { io, printed } = world({ terminal: true })
  expect(await main(words, io)).toBe(2)
  const [first, second, ...rest] = printed.err.split('\n')
  expect([first, rest]).toEqual([`remora: ${what}`, ['']])
  expect(second).toMatch(hint instanceof RegExp ? new RegExp(hint.source.replace('^', '^ {2}')) : `  ${hint}`)
  expect(printed.out).toBe('')
})

describe('the prompt', () => {
  const read = (word: string | undefined, stdin?: { terminal: boolean; text?: string }, attached = false) =>
    readPrompt(word, attached, world(stdin).io)

  it('is the argument, or standard input', async () => {
    expect(await read('hi', { terminal: false, text: 'no' })).toBe('hi')
    expect(await read('-', { terminal: true, text: 'typed' })).toBe('typed')
    expect(await read(undefined, { terminal: false, text: 'piped\n' })).toBe('piped\n')
  })

  it('may be missing only with an attachment', async () => {
    await expect(read(undefined)).rejects.toThrow('The prompt is missing')
    await expect(read(undefined, { terminal: true })).rejects.toThrow('The prompt is missing')
    await expect(read('-', { terminal: false, text: ' \n' })).rejects.toThrow('standard input is empty')
    expect(await read(undefined, { terminal: true }, true)).toBe('')
  })
})

it('of a missing agent is not read: the error names the install command, and the exit code is 3', async () => {
  const { io, printed } = world()
  const missing = { ...io, env: { ...io.env, GEMINI_CLI_PATH: join(cwd, 'nowhere') } }
  expect(await main(['run', 'gemini', 'hi'], missing)).toBe(3)
  expect(printed.err).toMatch(/^remora: .*GEMINI_CLI_PATH.*\n {2}.+\n$/)
  expect(printed.out).toBe('')
})

it('parses durations', () => {
  expect(['90', '90s', '1.5m', '1h', '20ms'].map((text) => duration('x', text))).toEqual([
    90_000, 90_000, 90_000, 3_600_000, 20,
  ])
})

it('splits a command like a shell', () => {
  expect(splitCommand(String.raw`a "b c" 'd "e' f\ g "h\"i" j"k"l ''`)).toEqual([
    'a',
    'b c',
    'd "e',
    'f g',
    'h"i',
    'jkl',
    '',
  ])
  expect(splitCommand('  ')).toEqual([])
  expect(splitCommand('a "b')).toBeUndefined()
  expect(mcpServers(['a=b=c d'])).toEqual({ a: { command: 'b=c', args: ['d'] } })
})

it('completes the modes of the agent, by all their names', () => {
  for (const { id, modes = [] } of profiles) {
    const words = listModeWords(id)
    expect(new Set(words).size).toBe(words.length)
    for (const mode of modes) expect(words).toContain(mode.id)
    if (modes.length > 0) for (const word of words) expect(findMode(modes, word)).toBeDefined()
    for (const mode of modes) expect(getModeLabel({ agent: id, mode: mode.id })).toBe(mode.label)
  }
  expect(listModeWords(undefined)).toEqual(expect.arrayContaining(['ask', 'default', 'bypass']))
  expect(getModeLabel({ agent: 'gone', mode: 'native' })).toBe('native')
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modeWords, modes } from '@remora/sdk'
import * as written from '../mode-words.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../commands/run.ts'
import { main } from '../main.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'
import { duration } from './duration.ts'
import { mcpServers } from './mcp-option.ts'
import { readOptions } from './read-options.ts'
import { readPrompt } from './read-prompt.ts'
import { splitCommand } from './split-command.ts'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'remora-run-'))
  await writeFile(join(cwd, 'schema.json'), '{"type": "object"}')
  await writeFile(join(cwd, 'list.json'), '[]')
  await writeFile(join(cwd, 'broken.json'), '{')
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

function world(stdin?: { terminal: boolean; text?: string }) {
  const said = { out: '', err: '' }
  const io: Io = {
    env: { HOME: cwd, PATH: cwd },
    cwd,
    home: cwd,
    platform: 'linux',
    terminal: false,
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    ...(stdin ? { stdin: { terminal: stdin.terminal, read: async () => stdin.text ?? '' } } : {}),
  }
  return { io, said }
}

const options = (...words: string[]) => readOptions(parse(run, ['gemini', 'hi', ...words]), world().io)

describe('the options of a run', () => {
  it('are only those that were given', async () => {
    expect(await options()).toEqual({ cwd })
  })

  it('are told in the words of the library', async () => {
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
    [['--timeout', 'soon'], '--timeout cannot be "soon"'],
    [['--timeout', '0'], '--timeout cannot be "0"'],
    [['--timeout', '1000h'], '--timeout cannot be "1000h"'],
    [['--retries', '-1'], '--retries cannot be "-1"'],
    [['--retries', '20'], '--retries cannot be "20"'],
    [['--mcp', 'files'], '--mcp cannot be "files"'],
    [['--mcp', 'files="npx'], '--mcp cannot be "files="npx"'],
    [['--mcp', 'a=b', '--mcp', 'a=c'], '--mcp names "a" twice'],
    [['--schema', 'none.json'], 'Cannot read'],
    [['--schema', 'list.json'], 'list.json is no JSON schema'],
    [['--schema', 'broken.json'], 'broken.json is no JSON schema'],
  ])('refuse %j', async (words, message) => {
    await expect(options(...words)).rejects.toThrow(message)
  })
})

it.each([
  [['run'], 'remora run needs <agent>', 'See: remora run --help'],
  [['run', 'gemni', 'hi'], 'There is no agent "gemni"', 'Did you mean gemini?'],
  [['run', 'gemini,gemini', 'hi'], 'gemini is named twice', 'Name each agent once'],
  [['run', 'gemini'], 'There is no prompt', 'Say it: remora run <agent> "…", or pipe it in'],
  [
    ['run', 'gemini', 'hi', 'there'],
    'remora run does not know what to do with "there"',
    'See: remora run --help',
  ],
  [['run', 'gemini', 'hi', '--mode=yolo'], '--mode cannot be "yolo"', /^One of: default, acceptEdits/],
  [['run', 'gemini', 'hi', '--json', '-q'], 'Cannot be --json and --quiet at once', 'Leave one of them out'],
  [['run', 'gemini,claude', 'hi', '-r', '1'], 'A session belongs to one agent', /--resume latest$/],
  [['run', 'gemini', 'hi', '--fork'], 'run: fork needs resume', /./],
])('%j is answered in two lines and with 2', async (words, what, hint) => {
  const { io, said } = world({ terminal: true })
  expect(await main(words, io)).toBe(2)
  const [first, second, ...rest] = said.err.split('\n')
  expect([first, rest]).toEqual([`remora: ${what}`, ['']])
  expect(second).toMatch(hint instanceof RegExp ? new RegExp(hint.source.replace('^', '^ {2}')) : `  ${hint}`)
  expect(said.out).toBe('')
})

describe('the prompt', () => {
  const read = (word: string | undefined, stdin?: { terminal: boolean; text?: string }, attached = false) =>
    readPrompt(word, attached, world(stdin).io)

  it('is the word, or standard input', async () => {
    expect(await read('hi', { terminal: false, text: 'no' })).toBe('hi')
    expect(await read('-', { terminal: true, text: 'typed' })).toBe('typed')
    expect(await read(undefined, { terminal: false, text: 'piped\n' })).toBe('piped\n')
  })

  it('may be missing only where something is attached', async () => {
    await expect(read(undefined)).rejects.toThrow('There is no prompt')
    await expect(read(undefined, { terminal: true })).rejects.toThrow('There is no prompt')
    await expect(read('-', { terminal: false, text: ' \n' })).rejects.toThrow('standard input is empty')
    expect(await read(undefined, { terminal: true }, true)).toBe('')
  })
})

it('says which agent is missing, and how to get it, with 3', async () => {
  const { io, said } = world()
  const missing = { ...io, env: { ...io.env, GEMINI_CLI_PATH: join(cwd, 'nowhere') } }
  expect(await main(['run', 'gemini', 'hi'], missing)).toBe(3)
  expect(said.err).toMatch(/^remora: .*GEMINI_CLI_PATH.*\n {2}.+\n$/)
  expect(said.out).toBe('')
})

it('reads times', () => {
  expect(['90', '90s', '1.5m', '1h', '20ms'].map((text) => duration('x', text))).toEqual([
    90_000, 90_000, 90_000, 3_600_000, 20,
  ])
})

it('cuts a command as a shell does', () => {
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

it('offers the modes that the SDK knows', () => {
  expect(run.options['mode']!.choices).toEqual(modeWords)
  expect(written.modes).toEqual(modes)
})

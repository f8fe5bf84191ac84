import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { agents } from '@remora/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exitCode } from './command/errors.ts'
import { groups } from './command/verb.ts'
import type { Finding } from './detection/survey.ts'
import { main } from './main.ts'
import { verbs } from './verbs.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-cli-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** Runs a command line in a new home, in which only the test installs agents. */
async function remora(words: string[], env: Record<string, string> = {}, terminal = false) {
  let out = ''
  let err = ''
  const code = await main(words, {
    env: { PATH: join(home, 'bin'), HOME: home, ...env },
    cwd: home,
    home,
    platform: 'linux',
    terminal,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { code, out, err, json: <T>() => JSON.parse(out) as T }
}

async function put(path: string, text: string, mode = 0o644): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  await chmod(file, mode)
  return file
}

/** Installs a Gemini CLI that detection accepts: an executable inside an npm package. */
async function installGemini(version = '0.61.0'): Promise<string> {
  await put(
    'npm/@google/gemini-cli/package.json',
    JSON.stringify({ name: '@google/gemini-cli', version, bin: { gemini: 'gemini.js' } }),
  )
  return put('npm/@google/gemini-cli/gemini.js', '#!/usr/bin/env node\n', 0o755)
}

describe('remora', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('lists the verbs by group for %j', async (words) => {
    const { code, out } = await remora(words)
    expect(code).toBe(0)
    for (const group of groups) {
      const [, section = ''] = out.split(`\n${group}:\n`)
      const rows = section
        .split('\n\n', 1)[0]!
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/))
      const expected = Object.entries(verbs).filter(([, entry]) => entry.group === group)
      expect(rows).toEqual(expected.map(([name, { summary }]) => [name, summary]))
    }
  })

  it('lists subcommands in the help of their verb, and keeps the short form', async () => {
    for (const [name, { parent, summary }] of Object.entries(verbs)) {
      if (parent === undefined) continue
      const rows = (await remora([parent, '--help'])).out
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/))
      expect(rows).toContainEqual([`${parent} ${name}`, summary])
      const help = (await remora([parent, name, '--help'])).out
      expect(help).toContain(`Usage: remora ${parent} ${name} `)
      expect((await remora(['help', parent, name])).out).toBe(help)
    }
    expect((await remora(['sessions', 'name'])).err).toContain('remora sessions name needs <session>')
    expect((await remora(['name'])).err).toContain('remora name needs <session>')
  })

  it.each(Object.entries(verbs))('summarizes %s in fewer than 70 characters', (_, { summary }) => {
    expect(summary.length).toBeLessThan(70)
  })

  it('shows its version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect((await remora(['--version'])).out).toBe(`${version}\n`)
  })

  it('points from an earlier name to the current one', async () => {
    for (const [name, { group, nested, parent, currentName = `${parent} ${name}` }] of Object.entries(
      verbs,
    )) {
      if (group || nested) continue
      const current = (await remora(['help', ...currentName.split(' ')])).out
      expect((await remora(['help', name])).out).toBe(
        `remora ${name} is now remora ${currentName}; both work.\n\n${current}`,
      )
    }
  })

  it.each(Object.keys(verbs))(
    'shows the help of %s, under the name and summary of the list',
    async (name) => {
      const verb = await verbs[name]!.load()
      const { out } = await remora([name, '--help'])
      if (verbs[name]!.group) expect(out).toContain(`Usage: remora ${name}`)
      expect(out).toBe((await remora(['help', name])).out)
      expect(verb.name).toBe(name)
      expect(verb.description).toContain(verbs[name]!.summary)
    },
  )

  it.each([
    [['docter'], 'Unknown command "docter"', 'Did you mean: remora doctor?'],
    [['toString'], 'Unknown command "toString"', 'See: remora --help'],
    [['--wat'], 'Unknown option --wat', 'See: remora --help'],
    [['doctor', '--jsno'], 'Unknown option --jsno for remora doctor', 'Did you mean --json?'],
    [
      ['doctor', '--constructor'],
      'Unknown option --constructor for remora doctor',
      'See: remora doctor --help',
    ],
    [['doctor', '--json=yes'], '--json takes no value', 'See: remora doctor --help'],
    [['doctor', '--color'], '--color needs a value', 'See: remora doctor --help'],
    [['doctor', '--color=pink'], 'Invalid value "pink" for --color', 'One of: auto, always, never'],
    [['doctor', 'gemni'], 'Unknown agent "gemni"', 'Did you mean gemini?'],
    [['completion'], 'remora completion needs <shell>', 'See: remora completion --help'],
    [['completion', 'tcsh'], 'No completion script for "tcsh"', 'One of: bash, zsh, fish'],
    [['config', 'a', 'b', 'c'], 'Unexpected argument "c" for remora config', 'See: remora config --help'],
    [['config', 'colour'], 'Unknown setting "colour"', 'Did you mean color?'],
    [['config', '--unset'], '--unset needs a setting', 'Name one: remora config <key> --unset'],
    [['config', 'color', 'pink'], 'Invalid value "pink" for color', 'One of: auto, always, never'],
    [['config', 'color', ''], 'color cannot be empty', 'To remove it: remora config color --unset'],
    [
      ['config', 'color', 'always', '--unset'],
      'Cannot set and unset at the same time',
      'Leave out the value or --unset',
    ],
  ])('refuses %j with two lines and exit code 2', async (words, what, hint) => {
    expect(await remora(words)).toMatchObject({ code: 2, out: '', err: `remora: ${what}\n  ${hint}\n` })
  })
})

describe('verbs that only read', () => {
  const reading = [
    ['agents'],
    ['alias'],
    ['aliases'],
    ['asks'],
    ['audit'],
    ['config'],
    ['data', 'path'],
    ['data', 'size'],
    ['desires'],
    ['desires', 'list'],
    ['desires', 'map'],
    ['desires', 'sources'],
    ['desires', 'stats'],
    ['desires', 'suggest'],
    ['devices'],
    ['doctor'],
    ['hooks', 'status'],
    ['logs'],
    ['ls'],
    ['ls', '--everywhere', '--all'],
    ['nodes'],
    ['people'],
    ['search', 'anything'],
    ['sessions'],
    ['usage'],
    ['worktrees'],
  ]

  it.each(reading.flatMap((words) => [[words], [[...words, '--json']]]))(
    'create no file and start no server in an empty home: %j',
    async (words) => {
      const { code, out, err } = await remora(words)
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
      if (words.includes('--json') && words[0] !== 'logs')
        expect(() => JSON.parse(out) as unknown).not.toThrow()
      expect(await readdir(home)).toEqual([])
    },
  )

  it.each([
    [['status'], 1],
    [['status', '--json'], 1],
    [['show', 'latest'], 1],
    [['watch', 'latest'], 1],
    [['data', 'archives'], 3],
  ])('create no file either where they have nothing to show: %j', async (words, code) => {
    expect((await remora(words)).code).toBe(code)
    expect(await readdir(home)).toEqual([])
  })
})

describe('remora doctor', () => {
  it('lists all agents with a hint each where nothing is installed', async () => {
    const { code, json } = await remora(['doctor', '--json'])
    const findings = json<Finding[]>()
    expect(code).toBe(0)
    expect(findings.map(({ id }) => id)).toEqual(agents().map(({ id }) => id))
    for (const { installed, path, version, problems } of findings) {
      expect({ installed, path, version }).toEqual({ installed: false, path: null, version: null })
      expect(problems[0]).toMatchObject({
        code: 'agent_missing',
        hint: expect.stringContaining('Install it:'),
      })
    }
  })

  it('prints what holds terminals once, and the next step', async () => {
    const { out } = await remora(['doctor'])
    expect(out.match(/- tmux not installed; live sessions use terminals of Remora/g)).toHaveLength(1)
    expect(out).toContain(
      '- Gemini CLI is not installed\n    → Install it: npm install -g @google/gemini-cli',
    )
    expect(out).toContain('No agent is installed.')
    await put('bin/tmux', '#!/bin/sh\necho tmux 3.4\n', 0o755)
    const { out: fixed } = await remora(['doctor'])
    expect(fixed).not.toContain('tmux not installed')
    expect(fixed).toContain(`✓ tmux 3.4  ${join(home, 'bin/tmux')}`)
    expect(fixed).toContain('- Server not running. Start it: remora serve')
  })

  it('finds the problems of Gemini, and none once they are fixed', async () => {
    await put('bin/tmux', '', 0o755)
    const path = await installGemini()
    const before = (await remora(['doctor', 'gemini', '--json'], { GEMINI_CLI_PATH: path })).json<Finding[]>()
    expect(before).toHaveLength(1)
    expect(before[0]).toMatchObject({ installed: true, version: '0.61.0', path })
    expect(before[0]!.problems.length).toBeGreaterThan(0)
    const result = await remora(['doctor', 'gemini'], { GEMINI_CLI_PATH: path })
    for (const { message, hint } of before[0]!.problems)
      expect(result.out).toContain(`    ${message}\n    → ${hint}\n`)
    expect(result.out).toContain('Next: follow the lines with → for gemini')
    await put('.gemini/settings.json', '{ "general": { "sessionRetention": { "enabled": false } } }')
    const after = await remora(['doctor', 'gemini'], {
      GEMINI_CLI_PATH: path,
      GEMINI_API_KEY: 'x',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    })
    expect(after.out).toContain('Ready: gemini. No problems found.')
    await rm(join(home, 'bin/tmux'))
    const without = await remora(['doctor', 'gemini'], {
      GEMINI_CLI_PATH: path,
      GEMINI_API_KEY: 'x',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    })
    expect(without.out).toContain('- tmux not installed')
    expect(without.out).toContain('Ready: gemini. No problems found.')
  })

  it('names the variable with an invalid path', async () => {
    const [finding] = (
      await remora(['doctor', 'codex', '--json'], { CODEX_CLI_PATH: '/nowhere/codex' })
    ).json<Finding[]>()
    expect(finding!.problems[0]).toMatchObject({
      code: 'bad_path',
      message: expect.stringContaining('CODEX_CLI_PATH'),
    })
  })
})

describe('remora agents', () => {
  it('shows a table, and the same as JSON with capabilities', async () => {
    const path = await installGemini()
    const table = await remora(['agents'], { GEMINI_CLI_PATH: path })
    expect(table.out).toMatch(/^AGENT +NAME +VERSION +CHANNELS +PATH$/m)
    expect(table.out).toMatch(new RegExp(`^gemini +Gemini CLI +0\\.61\\.0 .*${path}$`, 'm'))
    expect(table.out).toMatch(/^kiro .*not installed$/m)
    const [gemini] = (await remora(['agents', 'gemini', '--json'], { GEMINI_CLI_PATH: path })).json<
      Finding[]
    >()
    expect(gemini).toMatchObject({
      channels: expect.arrayContaining(['headless', 'acp']),
      capabilities: { planMode: true },
    })
    expect(Object.keys(gemini!)).toEqual([
      'id',
      'title',
      'installed',
      'path',
      'version',
      'wrapper',
      'channels',
      'capabilities',
      'problems',
      'support',
      'added',
    ])
  })

  it('prints a hint if nothing is installed', async () => {
    expect((await remora(['agents'])).out).toContain(
      'No agent is installed. For install commands, run: remora doctor',
    )
  })

  it('prints colours on a terminal unless turned off', async () => {
    const colours = async (words: string[], env = {}, terminal = true) =>
      (await remora(['agents', ...words], env, terminal)).out.includes('\u001B[')
    expect(await colours([])).toBe(true)
    expect(await colours([], {}, false)).toBe(false)
    expect(await colours([], { NO_COLOR: '1' })).toBe(false)
    expect(await colours([], { REMORA_COLOR: 'never' })).toBe(false)
    expect(await colours(['--color=always'], { REMORA_COLOR: 'never' }, false)).toBe(true)
  })
})

describe('remora config', () => {
  const file = () => join(home, '.remora/config.json')

  it('lists every setting with its source', async () => {
    const { out } = await remora(['config'])
    expect(out).toContain('color                 auto  (default)')
    expect(out).toContain(`File: ${file()}`)
    expect((await remora(['config', '--path'], { REMORA_HOME: '/elsewhere' })).out).toBe(
      '/elsewhere/config.json\n',
    )
  })

  it('keeps the file private, with its comments and unknown settings', async () => {
    await put('.remora/config.json', '{\n  // mine\n  "color": "never",\n  "later": true\n}\n', 0o644)
    expect(await remora(['config', 'gemini.path', '/opt/gemini'])).toMatchObject({
      code: 0,
      out: '',
      err: '',
    })
    expect(await readFile(file(), 'utf8')).toBe(
      '{\n  // mine\n  "color": "never",\n  "later": true,\n  "gemini.path": "/opt/gemini"\n}\n',
    )
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect((await remora(['config', 'gemini.path'])).out).toBe('/opt/gemini\n')
    await remora(['config', 'gemini.path', '--unset'])
    expect((await remora(['config', 'gemini.path', '--json'])).json()).toMatchObject({
      value: null,
      source: 'default',
    })
    expect(await readFile(file(), 'utf8')).toContain('// mine')
  })

  it('lets the environment override the file, and reports it', async () => {
    const env = { REMORA_COLOR: 'always' }
    expect((await remora(['config', 'color', 'never'], env)).err).toBe(
      'remora: REMORA_COLOR is set and overrides the file\n',
    )
    expect((await remora(['config', 'color', '--json'], env)).json()).toMatchObject({
      value: 'always',
      source: 'environment',
    })
    expect((await remora(['config', 'color', '--json'])).json()).toMatchObject({
      value: 'never',
      source: 'file',
    })
  })

  it('names the setting with an invalid path, and how to unset it', async () => {
    await remora(['config', 'gemini.path', '/nope'])
    const problem = async (env = {}) =>
      (await remora(['doctor', 'gemini', '--json'], env)).json<Finding[]>()[0]!.problems[0]
    expect(await problem()).toEqual({
      code: 'bad_path',
      message: `gemini.path in ${file()} points at /nope, which is no program`,
      hint: expect.stringContaining('remora config gemini.path --unset'),
    })
    expect(await problem({ GEMINI_CLI_PATH: '/neither' })).toMatchObject({
      message: 'GEMINI_CLI_PATH points at /neither, which is no program',
      hint: expect.not.stringContaining('remora config'),
    })
  })

  it.each(['tools/gemini', './tools/../tools/gemini', '~/tools/gemini'])(
    'keeps the path %s as an absolute one',
    async (path) => {
      await remora(['config', 'gemini.path', path])
      expect((await remora(['config', 'gemini.path'])).out).toBe(`${join(home, 'tools/gemini')}\n`)
    },
  )

  it('refuses an unknown colour mode from any source', async () => {
    expect(await remora(['agents'], { REMORA_COLOR: 'pink' })).toMatchObject({
      code: 2,
      out: '',
      err: 'remora: Invalid value "pink" for REMORA_COLOR\n  One of: auto, always, never\n',
    })
    for (const value of ['"pink"', '5']) {
      await put('.remora/config.json', `{ "color": ${value} }`)
      expect(await remora(['doctor'])).toMatchObject({
        code: 2,
        out: '',
        err: `remora: Invalid value ${value} for color in ${file()}\n  One of: auto, always, never\n`,
      })
    }
    expect((await remora(['agents', '--color=never'])).code).toBe(0)
    expect((await remora(['config', 'color', '--unset'])).code).toBe(0)
    expect((await remora(['doctor'])).code).toBe(0)
  })

  it.each(['abc', '70000', '-1'])('refuses %s as a port', async (value) => {
    expect(await remora(['config', 'server.port', '--', value])).toMatchObject({
      code: 2,
      out: '',
      err: `remora: Invalid value "${value}" for server.port\n  Use a number up to 65535; 0 picks a free port\n`,
    })
    expect((await remora(['config', 'server.port', '4751'])).code).toBe(0)
  })

  it.each(['lan', 'tailscale', '0.0.0.0', '::1', 'localhost', 'box.tailnet.ts.net'])(
    'accepts %s as a host',
    async (value) => {
      expect(await remora(['config', 'server.host', value])).toMatchObject({ code: 0, err: '' })
    },
  )

  it.each(['256.1.1.1', 'http://localhost', 'localhost:4750', 'my host', '-a', '1.2.3'])(
    'refuses %s as a host',
    async (value) => {
      expect(await remora(['config', 'server.host', '--', value])).toMatchObject({
        code: 2,
        err: `remora: Invalid value "${value}" for server.host\n  Use lan, tailscale, an IP address or a host name, without a port\n`,
      })
    },
  )

  it('lets doctor find an agent outside PATH', async () => {
    await remora(['config', 'gemini.path', await installGemini('0.34.0')])
    const [gemini] = (await remora(['agents', 'gemini', '--json'])).json<Finding[]>()
    expect(gemini).toMatchObject({ installed: true, version: '0.34.0' })
  })

  it.each(['{ "color": ', '[]', 'nonsense'])(
    'refuses %j as a file, and does not overwrite it',
    async (text) => {
      await put('.remora/config.json', text)
      const { code, err } = await remora(['config', 'color', 'never'])
      expect(code).toBe(2)
      expect(err).toMatch(
        /^remora: .*config\.json is not a valid settings file \(line 1\)\n {2}It must be one JSON object/,
      )
      expect(await readFile(file(), 'utf8')).toBe(text)
    },
  )

  it('reports why the file cannot be read', async () => {
    await mkdir(file(), { recursive: true })
    expect((await remora(['config'])).err).toMatch(
      /^remora: Cannot read .*config\.json: .*\n {2}Check the file/,
    )
  })
})

describe('remora completion', () => {
  it.each(['bash', 'zsh', 'fish'])('knows every verb and option in %s', async (shell) => {
    const { out } = await remora(['completion', shell])
    for (const [name, { group, parent }] of Object.entries(verbs))
      if (group ?? parent) expect(out).toContain(name)
    expect(out).toContain('json')
    expect(out).toContain('unset')
  })
})

it('maps every kind of failure to an exit code', () => {
  expect(
    (['usage', 'agent_missing', 'unsupported', 'timeout_idle', 'aborted', 'quota'] as const).map(exitCode),
  ).toEqual([2, 3, 3, 4, 130, 1])
})

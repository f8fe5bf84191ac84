import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Alias } from '@remora/insights'
import { findAgent } from '@remora/sdk'
import { describe, expect, it } from 'vitest'
import { toClaude } from '../../../../sdk/src/agents/gemini/tools.ts'
import type { TestHome } from '../../sessions/home.test-data.ts'
import { paveAgents } from '../aliases/native-names.ts'
import { shell, writeClaudeSession } from '../desires/transcripts.test-data.ts'
import { makeHome } from './pave.test-data.ts'

describe('remora alias', () => {
  it.each<[string[], Partial<Alias>]>([
    [
      ['read_files', 'read_many_files', '--agent', 'gemini'],
      { kind: 'tool', from: 'read_files', agent: 'gemini' },
    ],
    [['pip', 'pip3', '--replace'], { kind: 'command', from: 'pip', to: 'pip3' }],
    [['--cmd', 'pip', '--replace', 'pip3'], { kind: 'command', from: 'pip', to: 'pip3' }],
    [['--cmd', 'scp', '--flag', 'r,R'], { kind: 'flag', command: 'scp', from: '-r', to: '-R' }],
    [['--cmd', 'curl', '--flag=-k,'], { kind: 'flag', command: 'curl', from: '-k', to: '' }],
    [['npm test', 'make {args}', '--recipe'], { kind: 'recipe', from: 'npm test', to: 'make {args}' }],
    [
      ['--tool', 'Read', '--param', 'file_path', '/a', '/b', '--message', 'm'],
      { kind: 'literal', from: '/a', tool: 'Read', param: 'file_path', message: 'm' },
    ],
    [['a+b', '$&', '--regex', '--cmd', 'cat'], { kind: 'regex', from: 'a+b', command: 'cat' }],
    [['export', 'declare', '--replace'], { kind: 'command', from: 'export' }],
  ])('understands %j', async (words, expected) => {
    const { home } = makeHome()
    expect(await home.remora(['alias', ...words])).toMatchObject({ code: 0, err: '' })
    const all = (await home.remora(['aliases', '--json'])).json<Alias[]>()
    expect(all).toEqual([expect.objectContaining(expected)])
    expect(Date.parse(all[0]!.createdAt)).toBeGreaterThan(Date.now() - 60_000)
    expect(statSync(join(home.state, 'aliases.json')).mode & 0o777).toBe(0o600)
  })

  it.each([
    [['pip'], 2, /needs <from> and <to>/],
    [['pip', 'pip'], 2, /itself/],
    [['a', 'b', 'c'], 2, /"c"/],
    [['a', 'b', '--regex', '--recipe'], 2, /cannot be combined/],
    [['--flag', 'r,R'], 2, /belongs to a command/],
    [['--cmd', 'scp', '--flag', 'r'], 2, /Invalid value "r" for --flag/],
    [['(a+)+', 'b', '--regex'], 2, /repetition within a repetition/],
    [['pip', '--delete'], 1, /No alias for "pip"/],
    [['import', 'nowhere.toml'], 1, /Cannot read/],
  ])('refuses %j', async (words, code, message) => {
    const { home } = makeHome()
    const result = await home.remora(['alias', ...words])
    expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(message) })
    expect(result.err.trimEnd().split('\n')).toHaveLength(2)
  })

  it('changes and deletes an alias', async () => {
    const { home } = makeHome()
    await home.remora(['alias', 'pip', 'pip3', '--replace'])
    const changed = await home.remora(['alias', 'pip', 'uv pip', '--replace', '--json'])
    expect(changed.json()).toMatchObject({ to: 'uv pip', replaced: true, paved: false })
    await home.remora(['alias', '--cmd', 'scp', '--flag', 'r,R'])
    expect((await home.remora(['aliases'])).out).toMatch(/^command +pip +uv pip.*\nflag +-r +-R +scp/m)
    expect(await home.remora(['alias', 'r', '--delete'])).toMatchObject({ code: 0 })
    expect((await home.remora(['alias', 'pip', '--delete'])).out).toBe('Deleted: pip → uv pip\n')
    expect((await home.remora(['aliases'])).out).toMatch(/No aliases yet/)
  })

  it.each(['toml', 'json'])('exports and imports aliases as %s', async (format) => {
    const { home } = makeHome()
    const other = makeHome().home
    await home.remora(['alias', 'pip', 'pip3', '--replace', '--message', 'say "pip3"\n\\ok'])
    await home.remora(['alias', '--cmd', 'curl', '--flag=-k,'])
    await home.remora(['alias', String.raw`py2(\.\d)?`, 'py3$1', '--regex'])
    const file = join(home.path, `aliases.${format}`)
    await home.remora(['alias', 'export', file, '--name', 'team', '--author', 'me'])
    const printed = await home.remora([
      'alias',
      'export',
      '--format',
      format,
      '--name',
      'team',
      '--author',
      'me',
    ])
    expect(printed.out).toBe(readFileSync(file, 'utf8'))
    expect(printed.out).toContain('team')

    expect((await other.remora(['alias', 'import', file, '--dry-run'])).out).toMatch(/Dry run: 3 added/)
    expect(existsSync(join(other.state, 'aliases.json'))).toBe(false)
    await other.remora(['alias', 'pip', 'mine', '--replace'])
    expect((await other.remora(['alias', 'import', file, '--json'])).json()).toMatchObject({
      added: [{ kind: 'flag' }, { kind: 'regex' }],
      replaced: [],
      skipped: [{ from: 'pip' }],
    })
    await other.remora(['alias', 'import', file, '--conflict', 'overwrite'])
    const undated = async (from: TestHome) =>
      (await from.remora(['aliases', '--json']))
        .json<Alias[]>()
        .map((alias) => ({ ...alias, createdAt: undefined }))
    expect(await undated(other)).toEqual(await undated(home))
  })

  it('reports errors in an edited file', async () => {
    const { home } = makeHome()
    home.write(join(home.state, 'aliases.json'), '[{ "kind": "regex", "from": "(a+)+", "to": "b" }]')
    expect(await home.remora(['aliases'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Alias 1 in/),
    })
    home.write(join(home.path, 'x.toml'), 'aliases = [')
    expect(await home.remora(['alias', 'import', 'x.toml'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/not valid TOML/),
    })
  })

  it('reads and deletes a recursive alias of an older version', async () => {
    const { home } = makeHome()
    const old = { kind: 'command', from: 'grep', to: 'grep -n', createdAt: '2026-01-01T00:00:00.000Z' }
    home.write(join(home.state, 'aliases.json'), JSON.stringify([old]))
    expect((await home.remora(['aliases', '--json'])).json()).toEqual([old])
    expect((await home.remora(['alias', 'grep', 'grep -n', '--replace'])).code).toBe(2)
    expect((await home.remora(['alias', 'grep', '--replace', '--delete'])).code).toBe(0)
    expect((await home.remora(['aliases', '--json'])).json()).toEqual([])
  })
})

describe('remora pave --hook', () => {
  it('installs the hook, updates its rules, and removes it completely', async () => {
    const { home, rules } = makeHome()
    const settings = join(home.path, '.gemini/settings.json')
    const before = '{\n  // mine\n  "theme": "x"\n}\n'
    home.write(settings, before)
    await home.remora(['alias', 'pip', 'pip3', '--replace'])
    const result = await home.remora(['pave', '--hook', '--agent', 'gemini'])
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).toContain(`${settings} hook installed`)
    expect(result.out).toContain('BeforeTool')
    expect(readFileSync(settings, 'utf8')).toContain('remora-pave.mjs gemini')
    expect(rules().agents['gemini']!.edits).toMatchObject([{ from: 'pip', tools: ['run_shell_command'] }])
    expect(rules().agents['claude']!.edits).toMatchObject([{ from: 'pip', tools: ['Bash'] }])

    await home.remora(['alias', 'py', 'python3', '--replace'])
    expect(rules().agents['gemini']!.edits.map(({ from }) => from)).toEqual(['pip', 'py'])
    await home.remora(['alias', 'pip', '--delete'])
    expect(rules().agents['gemini']!.edits.map(({ from }) => from)).toEqual(['py'])
    expect((await home.remora(['pave', '--json'])).json()).toMatchObject({
      rules: 1,
      agents: expect.arrayContaining([
        { agent: 'gemini', since: expect.stringMatching(/^2/) as string, files: [settings] },
      ]),
    })
    const again = await home.remora(['pave', '--hook', '--agent', 'gemini', '--json'])
    expect(again.json()).toMatchObject({ agents: [{ agent: 'gemini', files: [{ changed: false }] }] })

    expect(await home.remora(['pave', '--hook', '--uninstall'])).toMatchObject({ code: 0 })
    expect(readFileSync(settings, 'utf8')).toBe(before)
    expect(existsSync(join(home.state, 'hooks/remora-pave.mjs'))).toBe(false)
    expect((await home.remora(['pave', '--uninstall'])).out).toBe('The hook is not installed.\n')
  })

  it('is not suggested if it is installed', async () => {
    const { home } = makeHome()
    writeClaudeSession(home, {
      id: '1aaa5555-0000-4000-8000-000000000001',
      at: Date.now() - 3_600_000,
      turns: [[shell('pip list', 'Exit code 127\n/bin/bash: line 1: pip: command not found')]],
    })
    await home.remora(['alias', 'pip', 'pip3', '--replace'])
    expect((await home.remora(['suggest'])).out).toContain('remora pave --hook --agent claude\n')
    expect((await home.remora(['pave'])).out).toMatch(/claude +no hook\n[^]*remora pave --hook\n/)
    await home.remora(['pave', '--hook', '--agent', 'claude-code'])
    const result = (await home.remora(['suggest'])).out
    expect(result).toMatch(/already paved \(claude since \d{4}-\d\d-\d\d\)/)
    expect(result).not.toContain('remora pave --hook')
    expect((await home.remora(['pave'])).out).toMatch(
      /claude +paved since \d{4}-\d\d-\d\d: .*settings\.json\n/,
    )
  })

  it.each([
    [['--agents-md', '--hook'], /--agents-md and --hook cannot be combined/],
    [['--append', 'GEMINI.md', '--settings', 'x'], /--append and --settings cannot be combined/],
    [['--top', '3'], /--top needs --agents-md/],
    [['--hook', '--agent', 'gemni'], /Unknown agent "gemni"\n {2}Did you mean gemini/],
  ])('refuses %j', async (words, message) => {
    const { home } = makeHome()
    expect(await home.remora(['pave', ...words])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(message),
    })
  })

  it('writes to the named file, and changes nothing if it is malformed', async () => {
    const { home } = makeHome()
    const file = join(home.path, 'work/settings.json')
    home.write(file, '{ "hooks": [')
    const words = ['pave', '--hook', '--agent', 'claude', '--settings', file]
    expect(await home.remora(words)).toMatchObject({ code: 2 })
    expect(readFileSync(file, 'utf8')).toBe('{ "hooks": [')
    writeFileSync(file, '{}')
    expect(await home.remora(words)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toContain('PreToolUse')
    expect(existsSync(join(home.path, '.claude/settings.json'))).toBe(false)
  })

  it('needs an agent', async () => {
    const { home } = makeHome()
    expect(await home.remora(['pave', '--hook'])).toMatchObject({ code: 2 })
    expect((await home.remora(['pave', '--hook', '--agent', 'opencode'])).err).toMatch(
      /does not support hooks that correct calls/,
    )
    const both = ['--agent', 'gemini', '--agent', 'claude']
    expect((await home.remora(['pave', '--hook', ...both, '--settings', 'x'])).err).toMatch(
      /--settings needs exactly one agent/,
    )
  })

  it('uses the tool names of the sessions', () => {
    const names = paveAgents.find(({ id }) => id === 'gemini')!
    for (const native of Object.keys(findAgent('gemini')!.tools!)) {
      const { name } = toClaude(native, {})
      expect(names.tools(name)).toContain(native)
    }
    expect(names.tools('mcp__lab__echo')).toEqual(['mcp_lab_echo'])
  })
})

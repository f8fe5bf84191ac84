import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAgent } from '@remora/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isKnownTool } from '../../../../sdk/src/agents/gemini/tools.ts'
import { TestHome } from '../../sessions/home.test-data.ts'
import { shell, writeClaudeSession, writeFailures } from './transcripts.test-data.ts'

let home: TestHome

beforeAll(() => {
  home = new TestHome()
  writeFailures(home, Date.now())
})
afterAll(() => home[Symbol.dispose]())

const lines = (text: string): string[] => text.trimEnd().split('\n')

describe('remora desires', () => {
  it('shows patterns by default, most costly first', async () => {
    const { code, out, err } = await home.remora(['desires'])
    expect([code, err]).toEqual([0, ''])
    const [head, first] = lines(out)
    expect(head).toMatch(/^SCORE +PATTERN +COUNT +SESSIONS +AGENTS +TREND +LAST/)
    expect(first).toMatch(/^ +\d+\.\d +Bash: missing-command jq +4 +3 +claude +up +\d+ min ago/)
    expect(out).toContain('search_files: unknown-tool')
  })

  it.each([
    ...['paths', 'list', 'stats', 'turns', 'recoveries', 'struggling', 'env-needs', 'export', 'effect'].map(
      (action) => ['desires', action],
    ),
    ['desires', 'inspect', 'Bash'],
    ['desires', 'turns', '--patterns'],
    ['desires', 'recoveries', '--stats'],
    ['desires', 'suggest'],
    ['sessions'],
    ['search', 'jq'],
    ['usage', '--by', 'day'],
  ])('prints times as ISO 8601 with --json: %s %s', async (...words) => {
    const { code, out } = await home.remora([...words, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toBeTruthy()
    expect(out.match(/"\w+": ?1[5-9]\d{11}\b/g)).toBeNull()
  })

  it('finds sessions that only hooks reported', async () => {
    using other = new TestHome()
    for (const id of ['s1', 's2']) {
      const payload = {
        hook_event_name: 'AfterTool',
        session_id: id,
        cwd: '/home/me/work',
        tool_name: 'run_shell_command',
        tool_input: { command: `pnpm ${id}` },
        tool_response: { llmContent: 'Output: oops\nExit Code: 127\nProcess Group PGID: 7' },
      }
      const read = async () => JSON.stringify(payload)
      await other.remora(['ingest', '--source', 'gemini'], { stdin: { terminal: false, read } })
    }
    const found = (await other.remora(['desires', 'list', '--session', 's2', '--json'])).json()
    expect(found).toMatchObject([{ session: 's2', input: { command: 'pnpm s2' } }])
    expect((await other.remora(['desires', '--session', 's3'])).err).toMatch(/No session "s3"/)
    expect(await other.remora(['desires', '--session', 's'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/"s" matches 2 sessions/),
    })
  })

  it('exports extra fields of an AfterTool payload, and lists, shows and traces its session', async () => {
    using other = new TestHome()
    for (const command of ['pnpm one', 'pnpm two', 'npx three']) {
      const payload = {
        hook_event_name: 'AfterTool',
        session_id: 'known-by-hooks',
        cwd: '/home/me/work',
        tool_name: 'run_shell_command',
        tool_input: { command },
        tool_response: { llmContent: 'Output: oops\nExit Code: 127\nProcess Group PGID: 7' },
        own_field: command,
      }
      const read = async () => JSON.stringify(payload)
      await other.remora(['ingest', '--source', 'gemini'], { stdin: { terminal: false, read } })
    }
    const rows = (await other.remora(['desires', 'export'])).json<{ extra: unknown }[]>()
    expect(rows.map(({ extra }) => extra)).toMatchObject([
      { own_field: 'pnpm one' },
      { own_field: 'pnpm two' },
      { own_field: 'npx three' },
    ])
    expect((await other.remora(['sessions', '--all'])).out).toContain('known-by')
    expect((await other.remora(['show', 'known-by'])).out).toContain('Bash pnpm two ✗')
    expect((await other.remora(['trace', 'known-by', '--channel', 'hooks'])).out).toContain('AfterTool')
  })

  it('prints all fields as JSON', async () => {
    const [first] = (await home.remora(['desires', 'paths', '--json', '--top', '1'])).json<[object]>()
    expect(first).toMatchObject({
      name: 'Bash: missing-command jq',
      tool: 'Bash',
      class: 'missing-command',
      rule: 'shell-command-not-found',
      detail: 'jq',
      count: 4,
      sessions: 3,
      agents: ['claude'],
      trend: 'up',
      example: { input: { command: 'jq . a.json' }, status: 'error', agent: 'claude' },
    })
  })

  it.each([
    [
      ['--agent', 'gemini'],
      ['search_files', 'Read'],
    ],
    [
      ['--agent', 'gemini-cli'],
      ['search_files', 'Read'],
    ],
    [['--tool', 'read_file'], ['Read']],
    [
      ['--category', 'missing-env,network'],
      ['Bash', 'Bash'],
    ],
    [
      ['--since', '10h'],
      ['SearchFiles', 'Bash', 'Bash'],
    ],
    [
      ['--until', '10d'],
      ['Bash', 'Bash'],
    ],
    [
      ['--session', '3aaa'],
      ['SearchFiles', 'Bash', 'Bash'],
    ],
    [
      ['--limit', '2'],
      ['SearchFiles', 'Bash'],
    ],
  ])('lists failures with %j, newest first', async (options, tools) => {
    const found = (await home.remora(['desires', 'list', '--json', ...options])).json<{ tool: string }[]>()
    expect(found.map(({ tool }) => tool)).toEqual(tools)
  })

  it('lists failures without secrets', async () => {
    const { out } = await home.remora(['desires', 'list'])
    expect(lines(out)).toHaveLength(14)
    expect(out).toMatch(/gemini +bbbb2222 +Read +wrong-path +nope\.txt +File not found: /)
    expect(out).toContain('Bearer [secret]')
    const json = await home.remora(['desires', 'list', '--json'])
    expect(json.out).not.toContain('abcdefghijklmnop1234')
  })

  it('fits its tables into the terminal', async () => {
    using other = new TestHome()
    writeFailures(other, Date.now())
    await other.remora(['alias', 'a-rather-long-name-of-a-tool', 'another-long-name-of-a-tool'])
    await other.remora(['map', 'Bash: missing-command jq', '--doc', 'docs/a-long-way-to-a-file.md'])
    const actions = ['paths', 'list', 'stats', 'turns', 'recoveries', 'struggling', 'env-needs', 'effect']
    const all = [...actions.map((action) => ['desires', action]), ['sources'], ['aliases'], ['mappings']]
    all.push(['desires', 'struggling', '--min-fails', '1'])
    for (const words of all)
      for (const columns of [60, 80, 100]) {
        const { code, out } = await other.remora([...words, '--color', 'never'], { terminal: true, columns })
        expect(code).toBe(0)
        const longest = Math.max(...lines(out).map((line) => line.length))
        expect(longest, `${words.join(' ')} in ${columns} columns`).toBeLessThanOrEqual(columns)
      }
  })
})

describe('remora desires inspect', () => {
  it('draws days, and shows inputs, errors and sessions', async () => {
    const { code, out } = await home.remora(['desires', 'inspect', 'JQ'])
    expect(code).toBe(0)
    expect(lines(out)[0]).toBe('Bash: missing-command jq')
    expect(out).toMatch(/\d{4}-\d\d-\d\d {2}█{20} 1\n {2}…\n/)
    expect(out).toMatch(/Inputs\n.*\n.*1 {2}jq -r \.version package\.json/)
    expect(out).toContain('  4  /bin/bash: line 1: jq: command not found')
    expect(out).toMatch(/Sessions\n {2}3aaa2222 {2}claude, 1 failure, \d+ min ago\n/)
  })

  it.each([
    ['Bash', 4],
    ['%unknown%', 2],
    ['wrong-path', 1],
    ['missing%jq%', 1],
  ])('takes %s', async (word, count) => {
    const { patterns } = (await home.remora(['desires', 'inspect', word, '--json'])).json<{
      patterns: string[]
    }>()
    expect(patterns).toHaveLength(count)
  })

  it('suggests a similar pattern', async () => {
    const { code, err } = await home.remora(['desires', 'inspect', 'Bahs'])
    expect([code, err]).toEqual([
      1,
      'remora: No pattern matches "Bahs"\n  Did you mean "Bash"? List all: remora desires\n',
    ])
  })
})

describe('remora desires similar', () => {
  const names = async (...words: string[]) =>
    (await home.remora(['desires', 'similar', ...words, '--json'])).json<{ similar: { name: string }[] }>()
      .similar

  it('compares with the tools of the agent, and of its MCP servers', async () => {
    expect((await names('ReadFile', '--agent', 'gemini'))[0]).toEqual({
      name: 'read_file',
      score: 1,
      from: 'gemini, built in',
    })
    expect((await names('find', '--agent', 'gemini'))[0]).toEqual({
      name: 'mcp_issues_find',
      score: 1,
      from: 'gemini, MCP server issues',
    })
    expect(await names('find', '--agent', 'codex')).toEqual([])
  })

  it('compares with the named tools', async () => {
    expect(await names('read', '--known', 'reads,write', '--top', '1')).toMatchObject([{ name: 'reads' }])
    expect(await names('read', '--known', 'reads,write', '--threshold', '0.99')).toEqual([])
  })

  it('prefers an alias', async () => {
    using other = new TestHome()
    const alias = { kind: 'tool', from: 'shell', to: 'Bash', createdAt: '2026-01-01T00:00:00.000Z' }
    other.write(join(other.state, 'aliases.json'), JSON.stringify([alias]))
    const { out } = await other.remora(['desires', 'similar', 'shell'])
    expect(lines(out)[1]).toBe(' 1.00  Bash  alias')
  })

  it('lists the same tools of Gemini as the SDK', () => {
    expect(Object.keys(findAgent('gemini')!.tools!).filter((name) => !isKnownTool(name))).toEqual([])
  })
})

describe('remora desires, the rest', () => {
  it('stats shows totals', async () => {
    const { out } = await home.remora(['desires', 'stats'])
    expect(lines(out)[0]).toMatch(/^13 failures in 31 calls \(42 %\), 4 sessions, /)
    expect(out).toMatch(/gemini +5 +2 +40 %/)
    const all = await home.remora(['desires', 'stats', '--invocations', '--tool', 'Glob'])
    expect(lines(all.out)[0]).toMatch(/^1 call, 0 failed \(0 %\)/)
  })

  it('turns shows calls per prompt', async () => {
    const { out } = await home.remora(['desires', 'turns'])
    expect(out).toMatch(
      /^6 turns with 31 calls: 5\.2 on average, median 6\n4 of them \(67 %\) took 5 calls or more/,
    )
    const patterns = (await home.remora(['desires', 'turns', '--patterns', '--json'])).json<object[]>()
    expect(patterns).toMatchObject([{ tools: ['Grep', 'Read', 'Edit'], sessions: 3, count: 3 }])
    const one = await home.remora(['desires', 'turns', '--session', 'bbbb', '--min-length', '2', '--json'])
    expect(one.json()).toMatchObject({ turns: 1, minLength: 2, longTurns: 1 })
  })

  it('recoveries shows what the agent changed', async () => {
    const { out } = await home.remora(['desires', 'recoveries'])
    expect(out).toContain(
      '  - command: cat package.json | jq .name\n  + command: cat package.json | node -p .name\n',
    )
    expect(out).toContain('2 attempts, recovered after 3 calls and 4 min 0 s')
    expect(out).toContain('  - file_path: nope.txt\n  + file_path: note.txt\n')
    const stats = (await home.remora(['desires', 'recoveries', '--stats', '--json'])).json<object[]>()
    expect(stats).toContainEqual(
      expect.objectContaining({ class: 'edit-mismatch', failures: 2, recovered: 2 }),
    )
  })

  it('struggling shows linked documentation', async () => {
    using other = new TestHome()
    const id = '4aaa2222-0000-4000-8000-000000000004'
    const failed = shell('jq .', 'Exit code 127\nbash: jq: command not found')
    writeClaudeSession(other, {
      id,
      at: Date.now() - 1000_000,
      turns: [[failed, failed, failed, shell('true')]],
    })
    await other.remora(['map', 'missing-command', '--doc', 'setup.md'])
    const [found] = (await other.remora(['desires', 'struggling', '--json'])).json<[object]>()
    expect(found).toMatchObject({
      failed: 3,
      calls: 4,
      rate: 0.75,
      hasDoc: true,
      doc: join(other.path, 'setup.md'),
    })
    const none = await other.remora(['desires', 'struggling', '--min-fails', '4'])
    expect([none.code, none.out, none.err]).toEqual([
      0,
      '',
      'No tool failed 4 times in one session.\n  Use a lower value: --min-fails 3\n',
    ])
  })

  it('env-needs shows whether programs and variables exist now', async () => {
    home.write(join(home.path, 'bin/apt-get'), '')
    const needs = async () => (await home.remora(['desires', 'env-needs', '--json'])).json<object[]>()
    expect(await needs()).toMatchObject([
      { kind: 'command', name: 'jq', count: 4, there: false, install: null },
      { kind: 'variable', name: 'DEPLOY_TOKEN', count: 1, install: null },
    ])
    chmodSync(join(home.path, 'bin/apt-get'), 0o755)
    expect((await needs())[0]).toMatchObject({ there: false, install: 'sudo apt-get install jq' })
    writeFileSync(join(home.path, 'bin/jq'), '', { mode: 0o755 })
    expect((await needs())[0]).toMatchObject({ there: true, install: null })
    const advice = (await home.remora(['suggest'])).out
    expect(advice).toContain('jq is installed now')
    expect(advice).not.toContain('jq is not installed')
  })
})

describe('remora desires export', () => {
  it('writes JSON with extra fields and without secrets', async () => {
    const { out, json } = await home.remora(['desires', 'export'])
    const rows = json<{ agent: string; class: string; extra: object | null }[]>()
    expect(rows).toHaveLength(13)
    expect(rows.filter(({ agent }) => agent === 'claude').every(({ extra }) => extra !== null)).toBe(true)
    expect(rows[0]!.extra).not.toHaveProperty('sessionId')
    expect(out).not.toContain('abcdefghijklmnop1234')
  })

  it('writes CSV of failures or of all calls', async () => {
    const { out } = await home.remora(['desires', 'export', '--format', 'csv', '--category', 'network'])
    const [head, row] = out.split('\r\n')
    expect(head).toMatch(/^id,at,endedAt,agent,session,.*,class,rule,detail,pattern,error,cwd,channel,input$/)
    expect(row).toContain(
      ',"{""command"":""curl -H \\""Authorization: Bearer [secret]\\"" http://127.0.0.1:9/""}"',
    )
    const all = await home.remora([
      'desires',
      'export',
      '--type',
      'invocations',
      '--format',
      'csv',
      '--tool',
      'Glob',
    ])
    expect(all.out.trimEnd().split('\r\n')).toHaveLength(2)
  })

  it('writes an empty array without calls', async () => {
    const { out } = await home.remora(['desires', 'export', '--tool', 'Nothing'])
    expect(JSON.parse(out)).toEqual([])
  })
})

describe('invalid usage', () => {
  it.each([
    [['desires', 'pahts'], 'Did you mean paths?'],
    [['desires', 'inspect'], 'remora desires inspect needs <pattern>'],
    [['desires', 'stats', 'x'], 'Unexpected argument "x"'],
    [['desires', '--category', 'nope'], 'Invalid value "nope" for --category'],
    [['desires', 'similar', 'x', '--threshold', '2'], 'Invalid value "2" for --threshold'],
    [['desires', '--agent', 'gemini', '--agent', 'claude'], '--agent can be used only once here'],
    [['suggest', '--agent', 'gemini', '--agent', 'claude'], '--agent can be used only once here'],
    [['desires', '--agent', 'gemni'], 'Did you mean gemini?'],
    [['desires', '--top', '1', '--limit', '2'], '--top and --limit are the same'],
    [['desires', 'list', '--min-fails', '2'], 'Options: --since, --until, --agent'],
    [['desires', 'similar', 'x', '--since', '7d'], 'Unknown option --since for remora desires similar'],
    [['desires', 'export', '--format', 'csv', '--json'], '--format csv and --json cannot be combined'],
    [['desires', '--since', '1d', '--until', '7d'], '--since is later than --until'],
    [['desires', 'effect', '--since', '1d', '--until', '7d'], '--since is later than --until'],
    [['map', 'x'], 'remora desires map needs --doc'],
    [['map', 'x', '--doc', 'y', '--delete'], 'Cannot set and delete at the same time'],
  ])('%j', async (words, message) => {
    const { code, err } = await home.remora(words)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  it('prints hints without calls or failures', async () => {
    using empty = new TestHome()
    for (const action of ['paths', 'list', 'stats', 'turns', 'recoveries', 'struggling', 'env-needs']) {
      const { code, out, err } = await empty.remora(['desires', action])
      expect([code, out]).toEqual([0, ''])
      expect(err).toMatch(/^No tool calls recorded yet\.\n.*remora import.*remora hooks install\n$/)
    }
    expect((await home.remora(['desires', '--tool', 'Nothing'])).err).toMatch(/^No failures match\.\n/)
  })
})

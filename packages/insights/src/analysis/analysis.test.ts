import { describe, expect, it } from 'vitest'
import { call, day, desire, failedShell, minute, missing, now } from '../calls.test-data.ts'
import { desires } from './desire.ts'
import { docFor } from './doc-mapping.ts'
import { envNeeds } from './env-needs.ts'
import { csvLines, exportColumns, exportRow } from './export-rows.ts'
import { inspect } from './inspect.ts'
import { installHint } from '../suggest/install-hint.ts'
import { recoveries, recoveryStats } from './recoveries.ts'
import { similar, similarity } from './similar.ts'
import { stats } from './stats.ts'
import { struggling } from './struggling.ts'
import { turnPatterns } from './turn-patterns.ts'
import { collapsed, turns } from './turns.ts'

describe('inspect', () => {
  const failures = desires([
    missing('jq', { at: now - 2 * day, input: { command: 'jq .a' } }),
    missing('jq', { at: now - 2 * day + minute, input: { command: 'jq .a' }, session: 's2' }),
    missing('jq', { at: now, input: { command: 'jq .b' }, agent: 'gemini' }),
  ])

  it('lists days, inputs, errors, agents and sessions', () => {
    expect(inspect(failures)).toMatchObject({
      count: 3,
      sessions: 3,
      first: now - 2 * day,
      last: now,
      classes: [{ class: 'missing-command', rule: 'shell-command-not-found', count: 3 }],
      agents: [
        { name: 'claude', count: 2 },
        { name: 'gemini', count: 1 },
      ],
      days: [
        { day: '2026-10-18', count: 2 },
        { day: '2026-10-19', count: 0 },
        { day: '2026-10-20', count: 1 },
      ],
      inputs: [
        { name: 'jq .a', count: 2 },
        { name: 'jq .b', count: 1 },
      ],
      errors: [{ name: 'bash: line 1: jq: command not found', count: 3 }],
    })
  })

  it('limits its lists, with the latest sessions first and local days', () => {
    const { inputs, latestSessions, days } = inspect(failures, { top: 1, utcOffset: 13 * 60 })
    expect(inputs).toEqual([{ name: 'jq .a', count: 2 }])
    expect(latestSessions).toEqual([{ agent: 'gemini', session: 's1', count: 1, last: now }])
    expect(days.at(-1)).toEqual({ day: '2026-10-21', count: 1 })
  })

  it('is empty without failures', () => {
    expect(inspect([])).toMatchObject({ count: 0, days: [], inputs: [], latestSessions: [] })
  })
})

describe('similar', () => {
  it.each([
    ['ReadFile', 'read_file', 1],
    ['read-file', 'readFile', 1],
    // Four of eight letters, and it begins the other: 0.5 − 1/18 for the space + 0.1.
    ['read', 'read_file', 0.54],
    ['file', 'read_file', 0.49],
    ['HTTPGet', 'http_get', 1],
    ['find', 'mcp__issues__find', 1],
    ['', 'Read', 0],
  ])('%s and %s', (one, other, score) => {
    expect(similarity(one, other)).toBe(score)
  })

  it.each([
    ['search_files', 'grep_search'],
    ['find_files', 'glob'],
    ['ls', 'glob'],
    ['cat', 'read_file'],
    ['create_file', 'write_file'],
    ['edit_file', 'replace'],
    ['execute_command', 'run_shell_command'],
    ['http_get_page', undefined],
    ['fetch_url', 'web_fetch'],
    ['web_search', 'google_web_search'],
    ['frobnicate', undefined],
  ])('knows by its words what %s means', (name, tool) => {
    const tools =
      'read_file write_file replace run_shell_command glob grep_search google_web_search web_fetch save_memory'
    expect(similar(name, tools.split(' '), { threshold: 0.75 })[0]?.name).toBe(tool)
  })

  it('lists the most similar first, above a threshold and up to a limit', () => {
    const tools = ['read_file', 'read_files', 'write_file', 'glob', 'read_file']
    expect(similar('readfile', tools).map(({ name }) => name)).toEqual([
      'read_file',
      'read_files',
      'write_file',
    ])
    expect(similar('readfile', tools, { threshold: 0.85 }).map(({ name }) => name)).toEqual(['read_file'])
    expect(similar('readfile', tools, { top: 1 })).toHaveLength(1)
  })

  it('returns only the alias if there is one', () => {
    expect(
      similar('shell', ['shells'], { alias: (name) => (name === 'shell' ? 'Bash' : undefined) }),
    ).toEqual([{ name: 'Bash', score: 1 }])
  })
})

it.each([
  'Tool execution blocked: Corrected by an alias in Remora: Use the tool glob instead of this one.',
  'PreToolUse:Bash hook error: [node]: Corrected by an alias in Remora: Use the tool Grep instead of this one.',
  'Command blocked by PreToolUse hook: Corrected by an alias in Remora: Not run (pip3 instead of pip).',
])('does not count what our own hook corrected: %s', (error) => {
  const calls = [call({ error }), call({ error, status: 'denied' }), call({ error: `Exit code 1\n${error}` })]
  const failures = desires(calls)
  expect(failures.map(({ id }) => id)).toEqual([calls[2]!.id])
  expect(stats(calls, failures)).toMatchObject({ calls: 3, failed: 1, corrected: 2 })
  expect(turns(calls, 1).long[0]).toMatchObject({ calls: 3, failed: 1 })
})

it('stats: totals and rates, by time, agent, tool and class', () => {
  const calls = [
    call({ at: now - 40 * day }),
    missing('jq', { at: now - 10 * day }),
    call({ at: now - 3 * day, tool: 'Read', agent: 'gemini' }),
    call({ at: now - minute, tool: 'Read', status: 'denied' }),
  ]
  expect(stats(calls, desires(calls), now)).toEqual({
    calls: 4,
    failed: 2,
    corrected: 0,
    sessions: 2,
    first: now - 40 * day,
    last: now - minute,
    last24h: { calls: 1, failed: 1 },
    last7d: { calls: 2, failed: 1 },
    last30d: { calls: 3, failed: 2 },
    agents: [
      { name: 'claude', calls: 3, failed: 2 },
      { name: 'gemini', calls: 1, failed: 0 },
    ],
    tools: [
      { name: 'Bash', calls: 2, failed: 1 },
      { name: 'Read', calls: 2, failed: 1 },
    ],
    classes: [
      { class: 'missing-command', count: 1 },
      { class: 'permission-denied', count: 1 },
    ],
  })
})

describe('turns', () => {
  const used = (session: string, turn: number, ...tools: string[]) =>
    tools.map((tool) => call({ session, turn, tool }))

  it('counts the calls of each prompt without those of sub-agents', () => {
    const calls = [
      ...used('s1', 1, 'Grep', 'Read', 'Read', 'Edit', 'Bash'),
      ...used('s1', 2, 'Bash'),
      call({ turn: 2, parent: 'call:1' }),
      ...used('s2', 1, 'Bash', 'Bash', 'Bash'),
    ]
    const report = turns(calls)
    expect(report).toMatchObject({ turns: 3, calls: 9, average: 3, median: 3, longShare: 0.333 })
    expect(report.long).toMatchObject([
      { session: 's1', turn: 1, calls: 5, tools: ['Grep', 'Read+', 'Edit', 'Bash'] },
    ])
    expect(turns(calls, 3).long).toHaveLength(2)
    expect(turns([])).toMatchObject({ turns: 0, average: 0, median: 0, longShare: 0, long: [] })
  })

  it('collapses consecutive calls of one tool', () => {
    expect(collapsed(['A', 'A', 'A', 'B', 'A'])).toEqual(['A+', 'B', 'A'])
  })

  it('finds the longest sequences that occur in at least three sessions', () => {
    const calls = [
      ...used('s1', 1, 'Grep', 'Read', 'Read', 'Edit', 'Bash'),
      ...used('s2', 1, 'Task', 'Grep', 'Read', 'Edit', 'Bash'),
      ...used('s3', 4, 'Grep', 'Grep', 'Read', 'Edit', 'Bash', 'Write'),
      ...used('s3', 5, 'Read', 'Edit', 'Bash'),
      ...used('s4', 1, 'Read', 'Edit', 'Bash'),
    ]
    expect(turnPatterns(calls)).toMatchObject([
      { tools: ['Read', 'Edit', 'Bash'], sessions: 4, count: 5 },
      { tools: ['Grep', 'Read', 'Edit', 'Bash'], sessions: 3, count: 3 },
    ])
  })
})

describe('recoveries', () => {
  const calls = [
    failedShell('jq .name package.json', 'bash: jq: command not found', { at: now }),
    failedShell('jq -r .name package.json', 'bash: jq: command not found', { at: now + minute }),
    call({ tool: 'Read', at: now + 2 * minute }),
    call({ input: { command: 'ls' }, at: now + 3 * minute }),
    call({
      input: { command: 'node -p .name package.json' },
      at: now + 4 * minute,
      endedAt: now + 5 * minute,
    }),
    // A success in another session or of another tool is no recovery.
    missing('rg', { session: 's2', input: { command: 'rg foo src' } }),
    call({ session: 's3', input: { command: 'rg foo src' } }),
    call({ session: 's2', tool: 'Grep', input: { pattern: 'rg foo src' } }),
  ]

  it('reports what changed, the number of calls and the duration', () => {
    const found = recoveries(calls, desires(calls))
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      session: 's1',
      pattern: 'Bash: missing-command jq',
      attempts: 2,
      calls: 4,
      durationMs: 5 * minute,
      changes: [{ field: 'command', from: 'jq -r .name package.json', to: 'node -p .name package.json' }],
    })
  })

  it('reports unchanged inputs that worked later, and added or removed fields', () => {
    const flaky = [
      call({ tool: 'WebFetch', input: { url: 'http://a' }, error: 'fetch failed' }),
      call({ tool: 'WebFetch', input: { url: 'http://a' } }),
      call({ tool: 'Read', input: { path: '/home/me/a.txt', offset: 9 }, error: 'x' }),
      call({ tool: 'Read', input: { path: '/home/me/a.txt', limit: 3 } }),
    ]
    const found = recoveries(flaky, desires(flaky))
    expect(found.map(({ changes }) => changes)).toEqual([
      [
        { field: 'offset', from: '9', to: null },
        { field: 'limit', from: null, to: '3' },
      ],
      [],
    ])
  })

  it('does not look beyond the turn', () => {
    const calls = [missing('jq', { turn: 1 }), call({ input: { command: 'jq .' }, turn: 2 })]
    expect(recoveries(calls, desires(calls))).toEqual([])
  })

  it('counts recoveries by class', () => {
    const failures = desires(calls)
    expect(recoveryStats(failures, recoveries(calls, failures))).toEqual([
      { class: 'missing-command', failures: 3, recovered: 2, averageCalls: 4, averageMs: 5 * minute },
    ])
  })
})

it('struggling: lists tools that failed several times in one session, with linked documentation', () => {
  const calls = [missing('jq'), missing('jq'), missing('rg'), call(), missing('jq', { session: 's2' })]
  const mappings = [mapping('missing-command', 'docs/setup.md')]
  expect(struggling(calls, desires(calls), { mappings })).toMatchObject([
    {
      session: 's1',
      tool: 'Bash',
      failed: 3,
      calls: 4,
      rate: 0.75,
      pattern: 'Bash: missing-command jq',
      doc: 'docs/setup.md',
    },
  ])
  expect(struggling(calls, desires(calls), { minFails: 1 })).toHaveLength(2)
  expect(struggling(calls, desires(calls), { minFails: 4 })).toEqual([])
})

it('docFor: returns the most specific mapping of the right tool', () => {
  const path = { name: 'Bash: missing-command jq', tool: 'Bash' }
  const some = mapping('missing-command', 'a.md')
  const exact = mapping('bash: missing-command jq', 'b.md')
  const other = { ...mapping('Bash: missing-command jq and more', 'c.md'), tool: 'Read' }
  expect(docFor([some, exact, other], path)).toBe(exact)
  expect(docFor([mapping('bash%jq', 'd.md')], path)?.doc).toBe('d.md')
  expect(docFor([mapping('bash%rg', 'd.md'), other], path)).toBeUndefined()
})

it('envNeeds: lists missing commands and variables, the most often used first', () => {
  const failures = desires([
    missing('jq', { at: now }),
    missing('jq', { agent: 'gemini', session: 'g', at: now + 1 }),
    failedShell('deploy', 'bash: line 1: TOKEN_X: unbound variable'),
    failedShell('cat a', 'cat: a: No such file or directory'),
  ])
  expect(envNeeds(failures)).toMatchObject([
    { kind: 'command', name: 'jq', count: 2, sessions: 2, agents: ['claude', 'gemini'], last: now + 1 },
    { kind: 'variable', name: 'TOKEN_X', count: 1 },
  ])
  expect(installHint('rg', ['apt'])).toBe('sudo apt-get install ripgrep')
  expect(installHint('rg', ['npm', 'brew'])).toBe('brew install ripgrep')
  expect(installHint('rg', [])).toBeUndefined()
  expect(installHint('constructor', ['apt'])).toBeUndefined()
})

describe('export', () => {
  const secret = `sk-ant-${'a1B2'.repeat(8)}`
  const failure = desire({
    input: { command: `echo "${secret}", done` },
    error: `Exit code 1\nsaid "x",\nthen ${secret}`,
    record: {
      tool_name: 'Bash',
      session_id: 's1',
      tool_input: {},
      cwd: '/',
      error: 'x',
      hook: { token: secret },
    },
  })

  it('masks secrets and puts the other fields of the record into extra', () => {
    const row = exportRow(failure)
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(row).toMatchObject({ class: 'other', extra: { hook: { token: '[secret]' } } })
    expect(Object.keys(row['extra'] as object)).toEqual(['hook'])
    expect(exportRow(call())).not.toHaveProperty('class')
  })

  it('writes valid CSV', () => {
    const [head, line] = [...csvLines([exportRow(failure)], exportColumns.desires)]
    expect(head!.trimEnd().split(',')).toEqual(exportColumns.desires)
    expect(line).toContain('"Exit code 1\nsaid ""x"",\nthen [secret]"')
    expect(line).toContain('"{""command"":""echo \\""[secret]\\"", done""}"')
    expect(line!.endsWith('\r\n')).toBe(true)
  })
})

function mapping(pattern: string, doc: string) {
  return { pattern, doc, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
}

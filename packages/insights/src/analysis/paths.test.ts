import { describe, expect, it } from 'vitest'
import { call, day, desire, failedShell, missing, now } from '../calls.test-data.ts'
import { desires } from './desire.ts'
import { matchPattern } from './match-pattern.ts'
import { paths } from './paths.ts'

describe('patterns', () => {
  it('groups failures that differ only in files and numbers', () => {
    const found = paths(
      desires([
        missing('jq', { agent: 'gemini', session: 'g1', input: { command: 'jq .a' } }),
        missing('jq', { session: 's2', input: { command: 'cat x | jq .b' } }),
        missing('rg'),
        failedShell('cat a', 'Exit code 1\ncat: /tmp/a1/x.txt: No such file or directory'),
        failedShell('cat b', 'Exit code 1\ncat: README: No such file or directory'),
        call({
          tool: 'Read',
          error: 'File does not exist. Note: your current working directory is /home/me.',
        }),
        call({ tool: 'Read', native: 'read_file', error: 'File not found: /home/me/a.txt' }),
        call(),
      ]),
      now,
    )
    expect(found.map(({ name, count, sessions, agents }) => [name, count, sessions, agents])).toEqual([
      ['Bash: missing-command jq', 2, 2, ['claude', 'gemini']],
      ['Read: wrong-path file-not-found', 2, 1, ['claude']],
      ['Bash: wrong-path cat: …: No such file or directory', 2, 1, ['claude']],
      ['Bash: missing-command rg', 1, 1, ['claude']],
    ])
  })

  it.each([
    [{ tool: 'Foo', error: 'No such tool available: Foo' }, 'Foo: unknown-tool'],
    [{ status: 'denied' }, 'Bash: permission-denied'],
    [{ status: 'timeout' }, 'Bash: timeout'],
    [{ status: 'cancelled' }, 'Bash: other cancelled'],
    [{ error: 'Exit code 1\nnpm error Missing script: "biuld"' }, 'Bash: wrong-argument biuld'],
    [{ error: 'Exit code 3\noops 17 at 0x7ffe12ab in 2.5 s' }, 'Bash: other true: oops N at … in N s'],
    [
      { input: { command: 'cd a && ./bin/build -q' }, error: 'Exit code 7' },
      'Bash: other build: exit code 7',
    ],
  ] as const)('names %j', (about, name) => {
    expect(desire(about).pattern).toBe(name)
  })

  it('ranks recent failures and failures of many sessions higher', () => {
    const old = desires([missing('old', { at: now - 60 * day }), missing('old', { at: now - 60 * day })])
    const fresh = desires([missing('fresh', { at: now })])
    const spread = desires([
      missing('spread', { at: now - 60 * day, session: 'a' }),
      missing('spread', { at: now - 60 * day, session: 'b' }),
    ])
    const found = paths([...old, ...fresh, ...spread], now)
    expect(found.map(({ detail, score }) => [detail, score])).toEqual([
      ['fresh', 1],
      // Two that weigh 0.146 each, in two sessions and in one.
      ['spread', 0.6],
      ['old', 0.3],
    ])
  })

  it.each([
    ['new', [1, 2]],
    ['up', [20, 10, 1, 2]],
    ['down', [20, 10, 9, 1]],
    ['steady', [10, 1]],
    ['quiet', [10, 9]],
  ])('says %s of failures that were %j days ago', (trend, ages) => {
    const [path] = paths(desires(ages.map((age) => missing('jq', { at: now - age * day }))), now)
    expect(path).toMatchObject({ trend, count: ages.length, last: now - Math.min(...ages) * day })
    expect(path!.first).toBe(now - Math.max(...ages) * day)
    expect(path!.example.at).toBe(path!.last)
  })

  it('is empty without failures', () => {
    expect(paths([])).toEqual([])
  })
})

describe('matchPattern', () => {
  const all = [
    { name: 'Bash: missing-command jq', tool: 'Bash' },
    { name: 'Bash: missing-command jq2', tool: 'Bash' },
    { name: 'Read: wrong-path file-not-found', tool: 'Read' },
    { name: 'mcp__a__Read: timeout', tool: 'mcp__a__Read' },
  ]
  it.each([
    ['bash: missing-command JQ', [0]],
    ['bash', [0, 1]],
    ['Read', [2]],
    ['missing', [0, 1]],
    ['%read%', [2, 3]],
    ['bash%jq', [0]],
    ['missing%jq%', [0, 1]],
    ['%(.*%', []],
    ['  ', []],
    ['nothing', []],
  ])('%s', (word, places) => {
    expect(matchPattern(all, word)).toEqual(places.map((place) => all[place]))
  })
})

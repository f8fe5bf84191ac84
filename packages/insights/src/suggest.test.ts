import type { CallEntry } from '@remora/ledger'
import { describe, expect, it } from 'vitest'
import type { Alias } from './alias/alias.ts'
import { desires } from './desire.ts'
import { effects } from './effect.ts'
import { paths } from './paths.ts'
import { lessons, lessonsText } from './pave/lessons.ts'
import { recoveries } from './recoveries.ts'
import { type SuggestSources, suggest } from './suggest.ts'

const day = 86_400_000
const now = Date.parse('2026-06-30T12:00:00Z')
const createdAt = '2026-06-20T12:00:00.000Z'
let count = 0

function call(fields: Partial<CallEntry>): CallEntry {
  count++
  const { error, status = error === undefined ? 'success' : 'error' } = fields
  return {
    id: count,
    entity: `call:${count}`,
    agent: 'claude',
    session: 'one',
    channel: 'transcripts',
    tool: 'Bash',
    native: fields.tool ?? 'Bash',
    input: {},
    at: now - day + count * 1000,
    failed: status !== 'success',
    turn: 1,
    ...fields,
    status,
  }
}
const shell = (command: string, error?: string, more: Partial<CallEntry> = {}): CallEntry =>
  call({ input: { command }, ...(error === undefined ? {} : { error }), ...more })

const nothing: Omit<SuggestSources, 'recoveries'> = {
  aliases: [],
  mappings: [],
  tools: () => ['read_file', 'read_many_files', 'grep_search'],
  managers: ['apt'],
}

/** What is suggested for the worst path of some calls: kind and what to paste. */
function suggested(calls: readonly CallEntry[], sources: Partial<SuggestSources> = {}): string[][] {
  const failures = desires(calls)
  const [path] = paths(failures, now)
  const all = suggest(path!, { ...nothing, recoveries: recoveries(calls, failures), ...sources })
  return all.map(({ kind, paste }) => [kind, paste])
}

const notFound = (name: string): string => `Exit code 127\n/bin/bash: line 1: ${name}: command not found`
const policy = { status: 'denied', error: 'Permission to use Bash has been denied.' } as const

describe('every path ends in a fix to paste', () => {
  it.each<[string, CallEntry[], string[][]]>([
    [
      'a command by another name',
      [shell('cd a && pip install x', notFound('pip')), shell('cd a && python3 -m pip install x')],
      [
        ['alias', "remora alias pip 'python3 -m pip' --replace"],
        ['install', 'sudo apt-get install python3-pip'],
      ],
    ],
    ['a command to install', [shell('jq . a', notFound('jq'))], [['install', 'sudo apt-get install jq']]],
    [
      'a command that nobody knows',
      [shell('frob', notFound('frob'))],
      [['lesson', '- The command `frob` is not installed here; do not use it.']],
    ],
    [
      'a flag by another name',
      [
        shell('grep --colour-x a b', "Exit code 2\ngrep: unrecognized option '--colour-x'"),
        shell('grep --colour a b'),
      ],
      [['alias', 'remora alias --cmd grep --flag --colour-x,--colour']],
    ],
    [
      'a flag too many',
      [shell('ls --wide a b', "Exit code 2\nls: unrecognized option '--wide'"), shell('ls a b')],
      [['alias', 'remora alias --cmd ls --flag --wide,']],
    ],
    [
      'a subcommand by another name',
      [
        shell('git comit -m x', "Exit code 1\ngit: 'comit' is not a git command. See 'git --help'."),
        shell('git commit -m x'),
      ],
      [['alias', "remora alias 'git comit' 'git commit {args}' --recipe"]],
    ],
    [
      'a folder that is elsewhere',
      [
        call({ tool: 'Read', input: { file_path: '/app/src/a.ts' }, error: 'File does not exist.' }),
        call({ tool: 'Read', input: { file_path: '/work/src/a.ts' } }),
      ],
      [['alias', 'remora alias /app/ /work/ --tool Read --param file_path']],
    ],
    [
      'a tool that is not there',
      [
        call({
          agent: 'gemini',
          tool: 'read_files',
          error: 'Tool "read_files" not found. Did you mean one of: "read_file"?',
        }),
      ],
      [
        [
          'alias',
          'remora alias read_files read_file --agent gemini\nremora pave --agents-md --append GEMINI.md',
        ],
      ],
    ],
    [
      'a variable that is not set',
      [
        shell('deploy', 'Exit code 1\n/bin/bash: line 1: DEPLOY_TOKEN: unbound variable', {
          agent: 'gemini',
        }),
      ],
      [['setting', 'DEPLOY_TOKEN=…']],
    ],
    [
      'an edit that does not fit',
      [call({ tool: 'Edit', error: 'String to replace not found in file.' })],
      [['lesson', '- Read a file again right before you edit it, and copy the old text from there.']],
    ],
    [
      'what nobody can help',
      [shell('x', 'Exit code 9\nboom')],
      [['document', expect.stringMatching(/^remora map 'Bash: other .*' --doc README.md$/) as string]],
    ],
  ])('%s', (_, calls, expected) => {
    expect(suggested(calls)).toEqual(expected)
  })

  it.each([
    [
      'gemini',
      'run_shell_command',
      /toolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "allow"/,
    ],
    ['claude', 'Bash', /"allow": \[\s*"Bash\(git push:\*\)"/],
    ['codex', 'exec_command', /^prefix_rule\(pattern=\["git","push"\], decision="allow"\)$/],
    ['opencode', 'bash', /"git push \*": "allow"/],
  ])('allows %s that command and no other', (agent, native, expected) => {
    const [[kind, paste] = []] = suggested([
      shell('git push origin main', undefined, { ...policy, agent, native }),
    ])
    expect([kind, paste]).toEqual(['setting', expect.stringMatching(expected)])
  })

  it('allows no line of several commands', () => {
    expect(suggested([shell('git push; rm -rf x', undefined, policy)])[0]![0]).toBe('document')
  })

  it('speaks of what a person has done already', () => {
    const calls = [shell('pip list', notFound('pip'))]
    const alias: Alias = { kind: 'command', from: 'pip', to: 'pip3', createdAt }
    expect(suggested(calls, { aliases: [alias] })[0]).toEqual(['pave', 'remora pave --hook --agent claude'])
    const mapping = {
      pattern: 'missing-command pip',
      doc: '/home/me/pip.md',
      createdAt,
      updatedAt: createdAt,
    }
    expect(suggested(calls, { mappings: [mapping] })[0]).toEqual([
      'document',
      '- Read /home/me/pip.md first.',
    ])
  })
})

it('writes lessons for one agent, in its words', () => {
  const calls = [
    shell('pip install `x`', notFound('pip')),
    shell('pip3 install `x`'),
    shell('npm test', 'Exit code 1\nboom', { agent: 'gemini' }),
    shell('npm test -w a', undefined, { agent: 'gemini' }),
  ]
  const aliases: Alias[] = [
    { kind: 'flag', command: 'scp', from: '-r', to: '-R', message: 'it is ours', createdAt },
    { kind: 'tool', from: 'Search', to: 'Grep', createdAt },
    { kind: 'command', from: 'x', to: 'y', agent: 'gemini', createdAt },
  ]
  const mappings = [{ pattern: 'jq', doc: 'docs/jq.md', createdAt, updatedAt: createdAt }]
  const found = recoveries(calls, desires(calls))
  expect(
    lessonsText(
      lessons({ aliases, mappings, recoveries: found, agent: 'claude', toolName: (tool) => tool + 2 }),
    ),
  ).toBe(`## Lessons from earlier sessions

- Use \`-R\`, not \`-r\`, with \`scp\`. it is ours.
- Call \`Grep2\`, not \`Search\`.
- Before you try again after \`jq\`, read docs/jq.md.
- \`\` pip install \`x\` \`\` failed (missing-command); \`\` pip3 install \`x\` \`\` worked.
`)
  expect(lessonsText([])).toBe('')
})

describe('the effect of a fix', () => {
  const fixed = now - 10 * day
  const fix = { kind: 'alias', name: 'pip', createdAt: fixed, fits: () => true } as const
  /** One session a day, each with one failure if it is told so. */
  const week = (from: number, failing: readonly boolean[]): CallEntry[] =>
    failing.map((bad, index) =>
      shell('pip', bad ? notFound('pip') : undefined, {
        at: from + index * day + 1,
        session: `${from}-${index}`,
      }),
    )
  const verdict = (before: boolean[], after: boolean[], at = fixed, end = now) => {
    const calls = [...week(at - 10 * day, before), ...week(at, after)]
    return effects([{ ...fix, createdAt: at }], calls, desires(calls), end)[0]!
  }
  const [yes, no] = [true, false]

  it('compares as much time before as there was since', () => {
    expect(verdict([yes, yes, yes, no], [yes, no, no, no])).toEqual({
      kind: 'alias',
      name: 'pip',
      createdAt: fixed,
      days: 10,
      before: { failures: 3, sessions: 4, perDay: 0.3, perSession: 0.75 },
      after: { failures: 1, sessions: 4, perDay: 0.1, perSession: 0.25 },
      verdict: 'down',
    })
  })

  it.each([
    ['gone', [yes, yes], [no, no, no]],
    ['up', [yes, no, no], [yes, yes, no]],
    ['same', [yes, yes, no], [yes, yes, no]],
    ['none before', [no, no], [yes, no, no]],
    ['too early', [yes, yes], [no, no]],
  ])('is %s', (expected, before, after) => {
    expect(verdict(before, after).verdict).toBe(expected)
  })

  it('is too early on the first day, however many sessions there were', () => {
    const calls = ['a', 'b', 'c', 'd'].map((session) => shell('ls', undefined, { at: now - 1000, session }))
    expect(effects([{ ...fix, createdAt: now - 5000 }], calls, [], now)[0]!.verdict).toBe('too early')
  })
})

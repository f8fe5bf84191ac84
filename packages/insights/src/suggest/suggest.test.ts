import { findAgent } from '@remora/sdk/hooks'
import type { CallEntry } from '@remora/ledger'
import { describe, expect, it } from 'vitest'
import type { Alias } from '../alias/alias.ts'
import { desires } from '../analysis/desire.ts'
import { effects } from './effect.ts'
import { paths } from '../analysis/paths.ts'
import { lessons, lessonsText } from './lessons.ts'
import { recoveries } from '../analysis/recoveries.ts'
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
  agent: findAgent,
  tools: () => ['read_file', 'read_many_files', 'grep_search'],
  managers: ['apt'],
}

/** The suggestions for the worst path of some calls: kind and text to paste. */
function suggested(calls: readonly CallEntry[], sources: Partial<SuggestSources> = {}): string[][] {
  const failures = desires(calls)
  const [path] = paths(failures, now)
  const all = suggest(path!, { ...nothing, recoveries: recoveries(calls, failures), ...sources })
  return all.map(({ kind, paste }) => [kind, paste])
}

const notFound = (name: string): string => `Exit code 127\n/bin/bash: line 1: ${name}: command not found`
const policy = { status: 'denied', error: 'Permission to use Bash has been denied.' } as const

describe('suggests a fix for every path', () => {
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
      'an unknown command',
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
        call({ tool: 'Read', input: { file_path: '/srv/src/a.ts' } }),
      ],
      [
        ['alias', 'remora alias /app/ /srv/ --tool Read --param file_path'],
        ['lesson', '- `/app/src/a.ts` is not there. List a folder before you use a path in it.'],
      ],
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
      'a failure without a known fix',
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
      /toolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "allow"/,
    ],
    ['claude', 'Bash', /"allow": \[\s*"Bash\(git log:\*\)"/],
    ['codex', 'exec_command', /^prefix_rule\(pattern=\["git","log"\], decision="allow"\)$/],
    ['opencode', 'bash', /"git log \*": "allow"/],
  ])('allows %s that command and no other', (agent, native, expected) => {
    const [[kind, paste] = []] = suggested([shell('git log -1', undefined, { ...policy, agent, native })])
    expect([kind, paste]).toEqual(['setting', expect.stringMatching(expected)])
  })

  it('suggests no rule for a line of several commands', () => {
    expect(suggested([shell('git log; ls', undefined, policy)])[0]![0]).toBe('document')
  })

  it.each([
    ['rm -rf zzz', policy.error, /`rm`.*wait for the answer/],
    ['git reset --hard', policy.error, /`git reset`.*wait for the answer/],
    ['npm publish', policy.error, /wait for the answer/],
    ['docker ps', policy.error, /wait for the answer/],
    ['curl http://a/', policy.error, /wait for the answer/],
    ['touch /a', "touch in '/a' was blocked. For security, Claude Code may only create files …", /folders/],
    ['make x', 'PreToolUse:Bash hook error: [guard.sh]: no builds today', /A hook refuses `make x`/],
    ['make x', "The user doesn't want to proceed with this tool use.", /Ask before you use `make x`/],
    ['make x', undefined, /Ask before you use `make x`/],
  ])('offers no rule for %s after %j', (command, error, expected) => {
    const more = error === undefined ? {} : { error }
    expect(suggested([shell(command, undefined, { status: 'denied', ...more })])).toEqual([
      ['lesson', expect.stringMatching(expected)],
    ])
  })

  it('suggests an alias after one session only if the names are related', () => {
    const tried = (from: string, to: string, session = 'one') => [
      shell(`${from} a.json`, notFound(from), { session }),
      shell(`${to} a.json`, undefined, { session }),
    ]
    const findAlias = (calls: CallEntry[]) => suggested(calls).find(([kind]) => kind === 'alias')?.[1]
    expect(findAlias(tried('jq', 'cat'))).toBeUndefined()
    expect(findAlias([...tried('jq', 'cat'), ...tried('jq', 'cat', 'two')])).toBe(
      'remora alias jq cat --replace',
    )
    expect(findAlias(tried('python', 'python3'))).toBe('remora alias python python3 --replace')
    expect(findAlias(tried('tsc', 'npx tsc'))).toBe("remora alias tsc 'npx tsc' --replace")
    const all = tried('jq', 'cat')
    expect(lessons({ aliases: [], mappings: [], recoveries: recoveries(all, desires(all)) })).toEqual([])
  })

  it('suggests no tool with a slightly similar name, even if the CLI does', () => {
    const error = 'Tool "frob_file" not found. Did you mean one of: "read_file", "glob"?'
    expect(suggested([call({ agent: 'gemini', tool: 'frob_file', error })])).toEqual([
      ['lesson', '- There is no tool `frob_file`; use one of those that you have.'],
    ])
  })

  it('names the files of the pattern and the memory file of every agent', () => {
    const read = (file_path: string, agent: string) =>
      call({ agent, tool: 'Read', input: { file_path }, error: `File not found: ${file_path}` })
    const failures = desires([
      read('/a/b.ts', 'claude'),
      read('/a/c.ts', 'gemini'),
      read('/a/b.ts', 'gemini'),
    ])
    expect(suggest(paths(failures, now)[0]!, { ...nothing, recoveries: [] })).toMatchObject([
      {
        where: 'CLAUDE.md, GEMINI.md',
        paste: '- `/a/b.ts` and `/a/c.ts` are not there. List a folder before you use a path in it.',
      },
    ])
  })

  it('takes existing aliases, hooks and documents into account', () => {
    const calls = [shell('pip list', notFound('pip'))]
    const alias: Alias = { kind: 'command', from: 'pip', to: 'pip3', createdAt }
    expect(suggested(calls, { aliases: [alias] })[0]).toEqual(['pave', 'remora pave --hook --agent claude'])
    const since = { aliases: [alias], pavedSince: () => '2026-06-20' }
    const [paved] = suggest(paths(desires(calls), now)[0]!, { ...nothing, recoveries: [], ...since })
    expect(paved).toMatchObject({ kind: 'pave', paste: 'remora desires effect' })
    expect(paved!.text).toContain('already paved (claude since 2026-06-20)')
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

it('writes lessons for one agent with its tool names', () => {
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
- When something about \`jq\` fails, read docs/jq.md before you try again.
- \`\` pip install \`x\` \`\` failed, because a command is not installed; \`\` pip3 install \`x\` \`\` worked.
`)
  expect(lessonsText([])).toBe('')
})

it('writes lessons as plain sentences', () => {
  const words = (alias: Partial<Alias>) =>
    lessons({
      aliases: [{ kind: 'recipe', from: 'npm test', to: 'x', createdAt, ...alias }],
      mappings: [],
      recoveries: [],
    }).map(({ text }) => text)
  expect(words({ to: 'npm run unit -- {args}' })).toEqual([
    'Run `npm run unit --` with the same arguments, not `npm test`.',
  ])
  expect(words({ to: 'make unit' })).toEqual(['Run `make unit`, not `npm test`.'])
  expect(words({ kind: 'regex', from: 'py2(x)?', to: 'py3$1' })).toEqual([])
  expect(words({ kind: 'regex', from: 'py2(x)?', message: 'use py3' })).toEqual(['use py3.'])
  const of = (pattern: string, tool?: string) =>
    lessons({
      aliases: [],
      recoveries: [],
      mappings: [{ pattern, ...(tool ? { tool } : {}), doc: 'a.md', createdAt, updatedAt: createdAt }],
    })[0]!.text
  expect(of('Bash: missing-command jq')).toBe(
    'When a command is not installed with `Bash` (`jq`), read a.md before you try again.',
  )
  expect(of('edit-mismatch%', 'Edit')).toBe(
    'When an edit does not fit the file with `Edit`, read a.md before you try again.',
  )
  expect(of('%')).toBe('When a call fails, read a.md before you try again.')
})

describe('the effect of a fix', () => {
  const fixed = now - 10 * day
  const fix = { kind: 'alias', name: 'pip', createdAt: fixed, fits: () => true } as const
  /** One session a day, each with one failure if requested. */
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

  it('compares equal periods before and after the fix', () => {
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

  it('is too early on the first day, however many sessions there are', () => {
    const calls = ['a', 'b', 'c', 'd'].map((session) => shell('ls', undefined, { at: now - 1000, session }))
    expect(effects([{ ...fix, createdAt: now - 5000 }], calls, [], now)[0]!.verdict).toBe('too early')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Alias, aliasCommand, aliasText, checkAlias } from './alias.ts'
import { aliasFits } from './alias-fits.ts'
import { checkRegex } from './check-regex.ts'
import { mergeAliases, createPack, readPack } from './pack.ts'

const createdAt = '2026-01-01T00:00:00.000Z'
const alias = (fields: Partial<Alias>): Alias => ({
  kind: 'command',
  from: 'pip',
  to: 'pip3',
  createdAt,
  ...fields,
})

it('adds the dashes to flags', () => {
  const flag = checkAlias(alias({ kind: 'flag', command: 'scp', from: 'r', to: 'recursive' }))
  expect([flag.from, flag.to]).toEqual(['-r', '--recursive'])
  expect(aliasText(flag)).toBe('scp -r → scp --recursive')
  expect(aliasText(checkAlias(alias({ kind: 'flag', command: 'scp', from: 'r', to: '' })))).toBe(
    'scp -r → scp',
  )
})

it.each<[Partial<Alias>, RegExp]>([
  [{ kind: 'other' as never }, /kind "other"/],
  [{ from: ' ' }, /cannot be empty/],
  [{ to: 'pip' }, /itself/],
  [{ to: '' }, /stands for/],
  [{ from: 'pip list' }, /not one word/],
  [{ from: 'a;b' }, /not one word/],
  [{ kind: 'flag', from: 'r' }, /belongs to a command/],
  [{ kind: 'literal', from: 'x'.repeat(5000) }, /longer than 4000/],
  [{ message: 3 as never }, /must be a text/],
  [{ kind: 'regex', from: '(' }, /not valid/],
  [{ kind: 'regex', from: 'a*' }, /empty text/],
  [{ from: 'grep', to: 'grep -n' }, /"grep -n" holds what it replaces/],
  [{ from: 'apt', to: 'sudo apt' }, /replaced in it again/],
  [{ kind: 'literal', from: 'src', to: 'packages/src' }, /replaced in it again/],
  [{ kind: 'regex', from: 'python', to: 'python3' }, /replaced in it again/],
  [{ kind: 'recipe', from: 'npm test', to: 'npm test -- --run {args}' }, /replaced in it again/],
  [{ kind: 'recipe', from: 'deploy', to: 'cd x && deploy' }, /replaced in it again/],
  [{ kind: 'flag', command: 'curl', from: 'retry', to: '--retry=3' }, /replaced in it again/],
])('refuses %j', (fields, message) => {
  expect(() => checkAlias(alias(fields))).toThrow(message)
})

it.each<Partial<Alias>>([
  { from: 'tsc', to: 'npx tsc' },
  { from: 'pip', to: 'python3 -m pip' },
  { kind: 'recipe', from: 'npm test', to: 'npm run test -- {args}' },
  { kind: 'recipe', from: 'npm test', to: 'npm test --run' },
  { kind: 'literal', from: '//', to: '/' },
  { kind: 'regex', from: '(?<!packages/)src', to: 'packages/src' },
  { kind: 'regex', command: 'grep', from: '^grep(?! -n)', to: 'grep -n' },
  { kind: 'flag', command: 'ssh', from: 'v', to: '-vv' },
  { kind: 'tool', from: 'read', to: 'read_file' },
])('takes %j, which leaves its own result alone', (fields) => {
  expect(checkAlias(alias(fields))).toMatchObject(fields.kind === 'flag' ? { to: fields.to } : fields)
})

it('keeps an earlier alias that matches its own result', () => {
  const old = alias({ from: 'grep', to: 'grep -n' })
  expect(checkAlias(old, { kept: true })).toBe(old)
})

describe('regular expressions', () => {
  it.each(['(a+)+b', '(?:a*b)*c', '((a+)b)+', '(a{2,})*b', '([^x]+)+x', '(?<n>(a|b+)c)+', 'x'.repeat(201)])(
    'refuses %j',
    (pattern) => expect(() => checkRegex(pattern)).toThrow(/regular expression/),
  )
  it.each([
    '(a+){1,3}b',
    '(ab)+',
    '[(+]+x',
    String.raw`\(a+\)+`,
    String.raw`python2(\.\d+)?`,
    '(a|b)+c',
    'a+b+',
  ])('takes %j', (pattern) => expect(() => checkRegex(pattern)).not.toThrow())
})

it.each<[Partial<Alias>, string]>([
  [{}, 'remora alias pip pip3 --replace'],
  [{ kind: 'flag', command: 'scp', from: '-r', to: '-R' }, 'remora alias --cmd scp --flag -r,-R'],
  [{ kind: 'tool', agent: 'gemini' }, 'remora alias pip pip3 --agent gemini'],
  [{ kind: 'recipe', from: 'npm test', to: "it's" }, String.raw`remora alias 'npm test' 'it'\''s' --recipe`],
  [{ kind: 'literal', from: '-x', to: 'y', tool: 'Read' }, 'remora alias --tool Read -- -x y'],
])('says how to make %j', (fields, line) => {
  expect(aliasCommand(alias(fields))).toBe(line)
})

describe('aliasFits', () => {
  const call = {
    agent: 'gemini',
    tool: 'Bash',
    native: 'run_shell_command',
    input: { command: 'cd a; pip list' },
  }
  it.each<[boolean, Partial<Alias>]>([
    [true, {}],
    [false, { from: 'pip2' }],
    [false, { agent: 'claude' }],
    [true, { kind: 'tool', from: 'run_shell_command' }],
    [true, { kind: 'literal', from: 'cd a', tool: 'run_shell_command', param: 'command' }],
    [false, { kind: 'literal', from: 'cd a', tool: 'Read' }],
    [false, { kind: 'literal', from: 'cd a', param: 'file_path' }],
    [true, { kind: 'recipe', from: 'pip list', to: 'x' }],
  ])('is %s for %j', (fits, fields) => {
    expect(aliasFits(alias(fields), call)).toBe(fits)
  })
})

const words = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `a${text.replaceAll('\0', '')}`)
const literals = fc.record(
  {
    kind: fc.constant('literal' as const),
    from: words,
    to: words.map((text) => `b${text}`),
    tool: words,
    message: words,
  },
  { requiredKeys: ['kind', 'from', 'to'] },
)

it('reads a pack that it has written', () => {
  fc.assert(
    fc.property(fc.array(literals), (list) => {
      fc.pre(list.every(({ from, to }) => !to.includes(from)))
      const all = list.map((fields) => ({ ...fields, createdAt }))
      const pack = JSON.parse(JSON.stringify(createPack(all, { name: 'n', author: 'me' }))) as unknown
      expect(readPack(pack, createdAt)).toEqual({ name: 'n', author: 'me', aliases: all })
    }),
  )
})

it.each([
  [[], /not a table/],
  [{}, /no list "aliases"/],
  [{ version: 2, aliases: [] }, /version is 2/],
  [{ aliases: [{ kind: 'command', from: 'a' }] }, /alias 1 is wrong: .*missing/],
  [{ aliases: [{ kind: 'regex', from: '(a+)+', to: 'b' }] }, /alias 1 is wrong: .*repetition/],
])('takes nothing else for it: %j', (value, message) => {
  expect(() => readPack(value, createdAt)).toThrow(message)
})

it('skips or overwrites conflicting aliases', () => {
  const [own, other, fresh] = [alias({}), alias({ to: 'uv pip' }), alias({ from: 'x' })]
  expect(mergeAliases([own], [other, fresh], 'skip')).toEqual({
    aliases: [own, fresh],
    added: [fresh],
    replaced: [],
    skipped: [other],
  })
  expect(mergeAliases([own], [other, own], 'overwrite')).toMatchObject({
    aliases: [own],
    replaced: [other, own],
  })
})

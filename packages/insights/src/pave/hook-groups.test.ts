import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyEdit } from './hook.ts'
import type { PaveEdit } from './rules.ts'

const deploy: PaveEdit = { kind: 'recipe', from: 'deploy', to: 'make {args} && echo done' }
const replaced: PaveEdit = { kind: 'command', from: 'deploy', to: 'make; echo' }

it.each<[PaveEdit, string, string]>([
  [deploy, 'deploy b', 'make b && echo done'],
  [deploy, 'a || deploy b', 'a || { make b && echo done; }'],
  [deploy, 'deploy > out', '{ make  && echo done; } > out'],
  [deploy, 'deploy b|cat', '{ make b && echo done; }|cat'],
  [deploy, 'echo $(deploy b)', 'echo $({ make b && echo done; })'],
  [deploy, 'if ! deploy; then ls; fi', 'if ! { make  && echo done; }; then ls; fi'],
  [replaced, 'deploy b', 'make; echo b'],
  [replaced, 'deploy b && ls', '{ make; echo b; } && ls'],
  [{ ...deploy, to: 'make &' }, 'deploy; ls', '{ make &\n}; ls'],
  [{ ...deploy, to: 'make # all' }, 'deploy; ls', '{ make # all\n}; ls'],
  [{ ...deploy, to: 'echo "a;b" {args}' }, 'sudo deploy b; ls', 'sudo echo "a;b" b; ls'],
])('%j: %j → %j', (edit, line, better) => {
  expect(applyEdit(line, edit)).toBe(better)
})

it.each([
  'sudo deploy b',
  'env A=1 deploy b',
  'xargs deploy b',
  'time deploy b',
  'nohup deploy b',
  'exec deploy b',
  'command deploy b',
  'A=1 deploy b',
  '>out deploy b',
  '>out ! deploy b',
  'ls; sudo deploy b',
  'deploy > out b',
  'deploy $?',
])('leaves %j alone, of which a part only would be meant', (line) => {
  for (const edit of [deploy, replaced]) expect(applyEdit(line, edit)).toBe(line)
})

it('adds no line before a here-document', () => {
  const line = 'cat <<E | deploy\nbody\nE'
  expect(applyEdit(line, { ...deploy, to: 'make &' })).toBe(line)
  expect(applyEdit(line, deploy)).toBe('cat <<E | { make  && echo done; }\nbody\nE')
})

/** Aliases with operators, and functions that do the same. */
const aliases: readonly (readonly [kind: 'recipe' | 'command', to: string, body: string])[] = [
  ['recipe', 'ok {args} && ok done', 'ok "$@" && ok done'],
  ['recipe', 'no {args} || ok done', 'no "$@" || ok done'],
  ['recipe', 'ok {args} && no done', 'ok "$@" && no done'],
  ['recipe', 'ok {args}; no done', 'ok "$@"; no done'],
  ['recipe', 'ok {args} | tr o 0', 'ok "$@" | tr o 0'],
  ['recipe', 'ok {args} > /dev/null; cat', 'ok "$@" > /dev/null; cat'],
  ['recipe', 'ok first\nno {args}', 'ok first\nno "$@"'],
  ['recipe', 'no {args} # not {', 'no "$@"'],
  ['recipe', '! ok {args}', '! ok "$@"'],
  ['command', 'no a && ok', 'no a && ok "$@"'],
  ['command', 'cat; no', 'cat; no "$@"'],
]
const around = fc.constantFrom(
  '%',
  'no || %',
  'ok && %',
  '% || ok z',
  '% && ok z',
  'ok; %; ok $?',
  '% | cat',
  '%|cat',
  'echo in | %',
  '% > /dev/null',
  '>/dev/null %',
  '% 2>&1',
  '% </dev/null',
  '! %',
  'if %; then ok t; else ok f; fi',
  'while %; do ok w; break; done',
  'for i in 1 2; do %; done',
  '(%)',
  '{ %; }',
  'echo $(%)',
  'echo "$(%)"',
  'x=$(%); ok $? $x',
  'cat <(%)',
  'A=1 %',
  'command %',
  'time %',
  'sudo %',
  'ok&&%',
  'ok\n%',
  '%; %',
)
const last = fc.constantFrom('%', '% # note', '% <<E\nbody\nE', 'cat <<E | %\nbody\nE', '%;', ' % ')
const called = fc.constantFrom(
  '',
  ' a b',
  ' "x y"',
  " 'q;'",
  ' --flag',
  ' $HOME',
  ' $(ok s)',
  ' > /dev/null b',
  ' 2>&1',
)
const lines = fc
  .tuple(last, around, around, called)
  .map(([one, two, three, args]) =>
    [one, two, three, `deploy${args}`].reduceRight((inner, outer) => outer.replaceAll('%', () => inner)),
  )

/** The output and exit code of a line in a real shell. */
function run(line: string, body: string) {
  const known = `ok() { echo "ok $*"; }\nno() { echo "no $*"; return 3; }\nsudo() { "$@"; }\ndeploy() { ${body}\n}\n`
  const { status, stdout } = spawnSync('bash', ['-c', known + line], {
    input: '',
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env['PATH'], HOME: '/home/me' },
  })
  return { status, stdout }
}

it('behaves like a shell function with the same body', { timeout: 180_000 }, () => {
  fc.assert(
    fc.property(fc.constantFrom(...aliases), lines, ([kind, to, body], line) => {
      const better = applyEdit(line, { kind, from: 'deploy', to })
      fc.pre(better !== line)
      expect({ better, ...run(better, body) }).toEqual({ better, ...run(line, body) })
    }),
    { numRuns: 150 },
  )
})

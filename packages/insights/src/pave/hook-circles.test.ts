import { expect, it } from 'vitest'
import { applyEdit, decide } from './hook.ts'
import type { AgentRules, PaveDialect, PaveEdit } from './rules.ts'

const grep: PaveEdit = { kind: 'command', from: 'grep', to: 'grep -n' }
const src: PaveEdit = { kind: 'literal', from: 'src', to: 'packages/src' }
const unit: PaveEdit = { kind: 'recipe', from: 'npm test', to: 'npm test -- --run {args}' }
const folder: PaveEdit = { kind: 'recipe', from: 'deploy', to: 'cd x && deploy {args}' }
const retry: PaveEdit = { kind: 'flag', command: 'curl', from: '--retry', to: '--retry=3' }
const groups: PaveEdit = { kind: 'regex', from: '(src|lib)/', to: 'packages/$1/' }

it.each<[PaveEdit, string, string]>([
  [grep, 'grep x', 'grep -n x'],
  [grep, 'grep -n x', 'grep -n x'],
  [grep, 'ls | grep  -n x', 'ls | grep  -n x'],
  [src, 'src/a', 'packages/src/a'],
  [src, 'packages/src/a', 'packages/src/a'],
  [unit, 'npm test -t x', 'npm test -- --run -t x'],
  [unit, 'npm test', 'npm test -- --run'],
  [unit, 'npm test -- --run -t x', 'npm test -- --run -t x'],
  [folder, 'ls; deploy a', 'ls; { cd x && deploy a; }'],
  [folder, 'ls; { cd x && deploy a; }', 'ls; { cd x && deploy a; }'],
  [retry, 'curl --retry a', 'curl --retry=3 a'],
  [retry, 'curl --retry=3 a', 'curl --retry=3 a'],
  // It is unknown whether the value already contains the result of a regular expression.
  [groups, 'cat src/a', 'cat src/a'],
  // A value that gets shorter ends the repetition.
  [{ kind: 'literal', from: '//', to: '/' }, 'a////b', 'a//b'],
])('%j matches its own result: %j → %j', (edit, line, better) => {
  expect(applyEdit(line, edit)).toBe(better)
  if (better.length > line.length) expect(applyEdit(better, edit)).toBe(better)
})

const rename = (from: string, to: string): PaveEdit => ({ kind: 'command', from, to })
const createRules = (dialect: PaveDialect, edits: readonly PaveEdit[]): AgentRules => ({
  dialect,
  refusals: [],
  edits,
})
const bash = (command: string) => ({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command },
})

/** How often an agent that follows the refusals is refused before its command runs. */
function refusals(edits: readonly PaveEdit[], command: string): number {
  for (let count = 0; count < 9; count++) {
    const answer = JSON.stringify(decide(createRules('refusal', edits), bash(command)))
    const correction = /Call it again with command: (.*?)"/.exec(answer)
    if (!correction) return count
    command = correction[1]!
  }
  return Infinity
}

const [ab, bc, ca, ba] = [rename('a', 'b'), rename('b', 'c'), rename('c', 'a'), rename('b', 'a')]
const circles: readonly (readonly PaveEdit[])[] = [
  [ab, ba],
  [ba, ab],
  [ab, bc, ca],
  [ca, bc, ab],
  [bc, ab, ca],
  [rename('a', 'b b'), ba],
  [
    { kind: 'recipe', from: 'a', to: 'b x {args}' },
    { kind: 'recipe', from: 'b', to: 'a x {args}' },
  ],
  ...[grep, src, unit, folder, retry, groups].map((edit) => [edit]),
]

it.each(circles.map((edits) => [edits.map(({ from, to }) => `${from} → ${to}`).join(', '), edits] as const))(
  'refuses a call once at most: %s',
  (_, edits) => {
    for (const line of [
      'a x',
      'b x',
      'c x',
      'a | b | c',
      'grep x',
      'cat src/a',
      'npm test y',
      'deploy',
      'curl --retry a',
    ])
      expect(refusals(edits, line)).toBeLessThanOrEqual(1)
  },
)

it('does not answer if aliases undo each other', () => {
  for (const dialect of ['tool-input', 'updated-input', 'refusal'] as const) {
    expect(decide(createRules(dialect, [ab, ba]), bash('a x'))).toEqual({})
    expect(decide(createRules(dialect, [ab, bc, ca]), bash('a x'))).toEqual({})
  }
  expect(refusals([ab, ba], 'b x')).toBe(1)
  // Every recommended command matches another alias.
  expect(refusals([ca, bc, ab], 'a x')).toBe(0)
})

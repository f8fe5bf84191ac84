import { expect, it } from 'vitest'
import type { Alias } from './alias.ts'
import { compileRules } from './compile.ts'

const createdAt = '2026-01-01T00:00:00.000Z'
const gemini = {
  id: 'gemini',
  dialect: 'tool-input',
  tools: (tool: string) =>
    ({ Bash: ['run_shell_command'], Glob: ['glob', 'list_directory'] })[tool] ?? [tool],
  params: (param: string) => (param === 'path' ? ['path', 'dir_path'] : [param]),
} as const
const compiled = (...aliases: Omit<Alias, 'createdAt'>[]) =>
  compileRules(
    aliases.map((alias) => ({ ...alias, createdAt })),
    [gemini],
  ).agents['gemini']!

it('writes rules with the names of the CLI', () => {
  expect(
    compiled(
      { kind: 'command', from: 'pip', to: 'pip3' },
      { kind: 'literal', from: 'a', to: 'b', tool: 'Glob', param: 'path', message: 'c' },
      { kind: 'regex', from: 'a+', to: '' },
      { kind: 'literal', from: 'a', to: 'b', command: 'cat' },
    ).edits,
  ).toEqual([
    { kind: 'command', from: 'pip', to: 'pip3', tools: ['run_shell_command'], params: ['command'] },
    {
      kind: 'literal',
      from: 'a',
      to: 'b',
      tools: ['glob', 'list_directory'],
      params: ['path', 'dir_path'],
      message: 'c',
    },
    { kind: 'regex', from: 'a+', to: '' },
    {
      kind: 'literal',
      from: 'a',
      to: 'b',
      tools: ['run_shell_command'],
      params: ['command'],
      command: 'cat',
    },
  ])
})

it('leaves out aliases for another agent', () => {
  expect(compiled({ kind: 'command', from: 'pip', to: 'pip3', agent: 'claude' })).toEqual({
    dialect: 'tool-input',
    refusals: [],
    edits: [],
  })
})

it('never refuses the tool that it recommends', () => {
  const reason = 'Use the tool glob instead of this one. It is faster'
  expect(
    compiled({ kind: 'tool', from: 'list_directory', to: 'glob', message: 'It is faster' }).refusals,
  ).toEqual([{ tool: 'list_directory', reason }])
  expect(compiled({ kind: 'tool', from: 'Glob', to: 'glob' }).refusals.map(({ tool }) => tool)).toEqual([
    'list_directory',
  ])
})

it('refuses no tools that recommend each other', () => {
  const refused = (...pairs: (readonly [from: string, to: string])[]) =>
    compiled(...pairs.map(([from, to]) => ({ kind: 'tool' as const, from, to }))).refusals.map(
      ({ tool }) => tool,
    )
  expect(refused(['a', 'b'], ['b', 'a'])).toEqual([])
  expect(refused(['a', 'b'], ['b', 'c'], ['c', 'a'], ['d', 'a'])).toEqual(['d'])
  expect(refused(['a', 'b'], ['b', 'c'])).toEqual(['a', 'b'])
})

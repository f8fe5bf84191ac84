import { describe, expect, it } from 'vitest'
import { newVerb } from '../live/verbs.ts'
import { formatVerbHelp } from './help.ts'
import { parse } from './parse.ts'

describe('an option with an optional value', () => {
  const read = (...words: string[]) => {
    const { values, positionals, rest } = parse(newVerb, words)
    return { worktree: values['worktree'], prompt: values['prompt'], positionals, rest }
  }

  it.each([
    [['gemini'], undefined],
    [['gemini', '--worktree'], true],
    [['--worktree', 'gemini'], true],
    [['gemini', '--worktree=fix'], 'fix'],
    [['gemini', '--worktree', 'fix'], 'fix'],
    [['--worktree', 'fix', 'gemini'], 'fix'],
  ])('in %j is %j', (words, worktree) => {
    expect(read(...words)).toMatchObject({ worktree, positionals: ['gemini'] })
  })

  it('does not take the next option, or an argument after --', () => {
    expect(read('gemini', '--worktree', '--prompt', 'Go', '--', 'x')).toEqual({
      worktree: true,
      prompt: 'Go',
      positionals: ['gemini'],
      rest: ['x'],
    })
  })

  it('leaves other extra arguments to be refused', () => {
    expect(() => read('gemini', 'claude')).toThrow('Unexpected argument "claude"')
    expect(() => read('gemini', '--worktree=fix', 'claude')).toThrow('Unexpected argument "claude"')
  })

  it('is marked in the help', () => {
    expect(formatVerbHelp(newVerb, {})).toContain('--worktree[=<name>]')
  })
})

import { describe, expect, it } from 'vitest'
import { findCommand, filterCommands, insertAt, formatMention, tokenAt } from './completion.ts'

/** The token at the `|` in the text. */
const at = (text: string) => tokenAt(text.replace('|', ''), text.indexOf('|'))

describe('the token at the caret', () => {
  it('is a command only at the start', () => {
    expect(at('/com|')).toMatchObject({ kind: 'command', typed: 'com', start: 0, end: 4 })
    expect(at('/memory sh|')).toMatchObject({ kind: 'command', typed: 'memory sh' })
    expect(at('|/com')).toBeUndefined()
    expect(at('see /usr/bin|')).toBeUndefined()
    expect(at('/com\nmore|')).toBeUndefined()
  })

  it('is a file after an @ at the start of a word', () => {
    expect(at('look at @src/pa| and on')).toMatchObject({ kind: 'file', typed: 'src/pa', start: 8, end: 15 })
    expect(at('(@|')).toMatchObject({ kind: 'file', typed: '' })
    expect(at('ann@example|')).toBeUndefined()
    expect(at('@src/parser.ts |')).toBeUndefined()
  })

  it('is not searched for in a very long line', () => {
    const begun = process.cpuUsage()
    expect(tokenAt(`@${'a'.repeat(1_000_000)}`, 1_000_001)).toBeUndefined()
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000)
  })
})

describe('the completion', () => {
  it('replaces the token, followed by one space', () => {
    expect(insertAt('look @pa now', { start: 5, end: 8 }, '@src/parser.ts ')).toEqual({
      text: 'look @src/parser.ts now',
      caret: 20,
    })
    expect(insertAt('/co', { start: 0, end: 3 }, '/compact ')).toEqual({ text: '/compact ', caret: 9 })
  })

  it('uses the mention syntax of the agent', () => {
    expect(formatMention('backslashes', 'my notes.md')).toBe('@my\\ notes.md ')
    expect(formatMention('quotes', 'my notes.md')).toBe('@"my notes.md" ')
    expect(formatMention(undefined, 'src', true)).toBe('@src/')
  })
})

it('lists prefix matches before other matches', () => {
  const commands = ['git:commit', 'compact', 'recompute', 'clear'].map((name) => ({
    name,
    from: 'agent' as const,
  }))
  expect(filterCommands(commands, 'com').map(({ name }) => name)).toEqual([
    'compact',
    'git:commit',
    'recompute',
  ])
  expect(filterCommands([{ name: 'x', from: 'user', description: 'Deploys all' }], 'deploy')).toHaveLength(1)
})

it('runs only known commands at the start of a text', () => {
  const commands = [
    { name: 'compact', from: 'agent' as const },
    { name: 'memory show', from: 'agent' as const },
  ]
  const find = (text: string) => findCommand(text, commands)?.name
  expect(find('/compact')).toBe('compact')
  expect(find('/compact now\nplease')).toBe('compact')
  expect(find('/memory')).toBe('memory show')
  expect(find('/compacter')).toBeUndefined()
  expect(find(' /compact')).toBeUndefined()
  expect(find('/')).toBeUndefined()
  expect(find('!ls')).toBeUndefined()
})

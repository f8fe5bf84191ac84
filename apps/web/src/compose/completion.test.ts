import { describe, expect, it } from 'vitest'
import { findCommand, filterCommands, insertAt, formatMention, tokenAt } from './completion.ts'

/** The token at the `|` in the text. */
const at = (text: string) => tokenAt(text.replace('|', ''), text.indexOf('|'))

describe('what is being named', () => {
  it('is a command at the beginning only', () => {
    expect(at('/com|')).toMatchObject({ kind: 'command', typed: 'com', start: 0, end: 4 })
    expect(at('/memory sh|')).toMatchObject({ kind: 'command', typed: 'memory sh' })
    expect(at('|/com')).toBeUndefined()
    expect(at('see /usr/bin|')).toBeUndefined()
    expect(at('/com\nmore|')).toBeUndefined()
  })

  it('is a file behind an at sign that begins a word', () => {
    expect(at('look at @src/pa| and on')).toMatchObject({ kind: 'file', typed: 'src/pa', start: 8, end: 15 })
    expect(at('(@|')).toMatchObject({ kind: 'file', typed: '' })
    expect(at('ann@example|')).toBeUndefined()
    expect(at('@src/parser.ts |')).toBeUndefined()
  })

  it('is never sought in a long line without end', () => {
    const begun = performance.now()
    expect(tokenAt(`@${'a'.repeat(1_000_000)}`, 1_000_001)).toBeUndefined()
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})

describe('what is put in', () => {
  it('takes the place of what was typed, with one space behind', () => {
    expect(insertAt('look @pa now', { start: 5, end: 8 }, '@src/parser.ts ')).toEqual({
      text: 'look @src/parser.ts now',
      caret: 20,
    })
    expect(insertAt('/co', { start: 0, end: 3 }, '/compact ')).toEqual({ text: '/compact ', caret: 9 })
  })

  it('is a file as the agent reads it', () => {
    expect(formatMention('gemini', 'my notes.md')).toBe('@my\\ notes.md ')
    expect(formatMention('claude', 'my notes.md')).toBe('@"my notes.md" ')
    expect(formatMention('codex', 'src', true)).toBe('@src/')
  })
})

it('offers commands that begin so before those that have it in them', () => {
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

it('runs only commands that the agent has, at the very start of a text', () => {
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

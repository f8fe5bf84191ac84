import { expect, it } from 'vitest'
import { claude } from '../agents/claude/index.ts'
import { withoutGuesses } from './without-guesses.ts'

const rule = '─'.repeat(80)
const read = (lines: readonly string[]) => {
  const screen = { title: '', lines, columns: 80, cursor: { x: 0, y: 0 } }
  return { guessed: claude.terminal.read(screen), plain: withoutGuesses(claude).terminal!.read(screen) }
}

it('shows a dialog with its own text and keys, and with no button that approves or denies', () => {
  const dialog = [rule, ' Bash command', '', '   touch a.txt', '', ' Do you want to proceed?', ' ❯ 1. Yes']
  const { guessed, plain } = read([...dialog, '   2. No', '', ' Esc to cancel · Tab to amend'])
  expect(guessed.ask).toMatchObject({ kind: 'permission' })
  expect(plain).toMatchObject({ state: 'asking', ask: { kind: 'dialog' } })
  expect(plain.ask!.body).toContain('touch a.txt')
  expect(plain.ask!.tool).toBeUndefined()
  expect(plain.ask!.options).toEqual([
    { id: 'key_escape', label: 'Esc to cancel', effect: 'other', keys: ['Escape'] },
  ])
})

it('shows a screen that the reader of the agent does not understand', () => {
  const { guessed, plain } = read(['', 'A new kind of dialog', 'Press Enter to continue'])
  expect(guessed.ask).toBeUndefined()
  expect(plain.ask).toMatchObject({
    kind: 'dialog',
    body: 'A new kind of dialog\nPress Enter to continue',
    options: [{ label: 'Enter to continue', keys: ['Enter'], effect: 'other' }],
  })
})

it('leaves an input line and an empty screen as they are', () => {
  for (const lines of [
    [rule, '❯ ', rule],
    ['', ''],
  ]) {
    const { guessed, plain } = read(lines)
    expect(plain).toEqual(guessed)
  }
})

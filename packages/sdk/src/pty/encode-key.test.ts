import { expect, it } from 'vitest'
import { encodeKey, encodePaste } from './encode-key.ts'

const modes = { applicationCursor: false, bracketedPaste: true }

it.each([
  ['Enter', '\r'],
  ['Escape', '\u001B'],
  ['BTab', '\u001B[Z'],
  ['BSpace', '\u007F'],
  ['x', 'x'],
  [';', ';'],
  ['C-c', '\u0003'],
  ['C-Space', '\u0000'],
  ['C-_', '\u001F'],
  ['M-x', '\u001Bx'],
  ['C-M-c', '\u001B\u0003'],
  ['Up', '\u001B[A'],
  ['C-Up', '\u001B[1;5A'],
  ['S-Tab', '\u001B[Z'],
  ['F2', '\u001BOQ'],
  ['F5', '\u001B[15~'],
  ['S-F5', '\u001B[15;2~'],
  ['PgDn', '\u001B[6~'],
  ['DC', '\u001B[3~'],
  ['Click:10,38', '\u001B[<0;10;38M\u001B[<0;10;38m'],
])('sends the key %s', (key, bytes) => {
  expect(encodeKey({ key }, modes)).toBe(bytes)
})

it('sends what tmux sends in application mode', () => {
  expect(encodeKey({ key: 'Up' }, { ...modes, applicationCursor: true })).toBe('\u001BOA')
  expect(encodeKey({ key: 'End' }, { ...modes, applicationCursor: true })).toBe('\u001BOF')
})

it('types text literally, and pastes it in brackets where the program wants them', () => {
  expect(encodeKey({ text: 'Enter ; C-c' }, modes)).toBe('Enter ; C-c')
  expect(encodePaste('a\nb', modes)).toBe('\u001B[200~a\rb\u001B[201~')
  expect(encodePaste('a\nb', { ...modes, bracketedPaste: false })).toBe('a\rb')
})

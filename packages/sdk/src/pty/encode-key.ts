import type { PtyKey } from './wire.ts'

/** Modes of the terminal that change what a key sends. */
export interface KeyModes {
  /** Cursor keys send `ESC O` instead of `ESC [`. */
  readonly applicationCursor: boolean
  readonly bracketedPaste: boolean
}

/** The bytes that a terminal sends for a key by tmux's name. @example encodeKey({ key: 'C-c' }, modes) // '\u0003' */
export function encodeKey(key: PtyKey, modes: KeyModes): string {
  if ('text' in key) return key.text
  const click = /^Click:(\d+),(\d+)$/.exec(key.key)
  if (click) return `\u001B[<0;${click[1]};${click[2]}M\u001B[<0;${click[1]};${click[2]}m`
  const [, prefixes = '', name = ''] = /^((?:[CMS]-)*)(.+)$/s.exec(key.key) ?? []
  const has = (prefix: string): boolean => prefixes.includes(`${prefix}-`)
  const modifier = 1 + (has('S') ? 1 : 0) + (has('M') ? 2 : 0) + (has('C') ? 4 : 0)
  const sequence = encodeSpecial(name, modifier, modes)
  if (sequence !== undefined) return sequence
  const character = has('C') ? toControl(plain[name] ?? name) : (plain[name] ?? name)
  return has('M') ? `\u001B${character}` : character
}

/** The bytes of a pasted text. @example encodePaste('a\nb', modes) // '\u001B[200~a\rb\u001B[201~' */
export function encodePaste(text: string, { bracketedPaste }: KeyModes): string {
  // As terminals do it: a line break is pasted as the Enter key.
  const typed = text.replaceAll('\n', '\r')
  return bracketedPaste ? `\u001B[200~${typed}\u001B[201~` : typed
}

const plain: Readonly<Record<string, string>> = {
  Enter: '\r',
  Escape: '\u001B',
  Tab: '\t',
  Space: ' ',
  BSpace: '\u007F',
}

/** Final letters of `CSI … letter` keys; F1 to F4 are sent as `SS3 letter` without a modifier. */
const letters: Readonly<Record<string, string>> = {
  Up: 'A',
  Down: 'B',
  Right: 'C',
  Left: 'D',
  Home: 'H',
  End: 'F',
  F1: 'P',
  F2: 'Q',
  F3: 'R',
  F4: 'S',
}

/** Numbers of `CSI number ~` keys. */
const numbers: Readonly<Record<string, number>> = {
  Insert: 2,
  IC: 2,
  Delete: 3,
  DC: 3,
  PageUp: 5,
  PgUp: 5,
  PPage: 5,
  PageDown: 6,
  PgDn: 6,
  NPage: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
}

function encodeSpecial(name: string, modifier: number, { applicationCursor }: KeyModes): string | undefined {
  if (name === 'BTab' || (name === 'Tab' && modifier === 2)) return '\u001B[Z'
  const letter = letters[name]
  if (letter !== undefined) {
    if (modifier > 1) return `\u001B[1;${modifier}${letter}`
    return `\u001B${applicationCursor || name.startsWith('F') ? 'O' : '['}${letter}`
  }
  const number = numbers[name]
  if (number === undefined) return undefined
  return modifier > 1 ? `\u001B[${number};${modifier}~` : `\u001B[${number}~`
}

/** @example toControl('c') // '\u0003' */
function toControl(character: string): string {
  if (character === '?') return '\u007F'
  if (character === ' ') return '\u0000'
  const code = character.toUpperCase().charCodeAt(0)
  return character.length === 1 && code >= 0x40 && code < 0x60 ? String.fromCharCode(code & 0x1f) : character
}

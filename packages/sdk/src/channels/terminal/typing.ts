import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Pane } from './pane.ts'
import type { Key } from './terminal.ts'
import { command } from './tmux-words.ts'

/**
 * What may be pasted: words, tabs and line ends. Everything else that a terminal could take for a command is left out,
 * so that no text can end its own pasting and go on as keys.
 *
 * @example inert('a\u001B[201~b') // 'a[201~b'
 */
export function inert(text: string): string {
  return (
    text
      .replaceAll(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '')
  )
}

const keyName =
  /^(?:[CMS]-)*(?:[!-~]|Enter|Escape|Tab|BTab|Space|BSpace|Up|Down|Left|Right|Home|End|PageUp|PageDown|PgUp|PgDn|PPage|NPage|Insert|Delete|IC|DC|F(?:[1-9]|1[0-2]))$/

/** The mouse on one cell, by its column and row, counted from 1. */
const clickName = /^Click:(\d{1,4}),(\d{1,4})$/

/** One key by tmux's name, a click, or a text to be typed as it is. @example keyOf('C-y'); keyOf('Click:10,38'); keyOf('/model') */
export function keyOf(word: string): Key {
  return word.length > 1 && (keyName.test(word) || clickName.test(word)) ? { key: word } : { text: word }
}

/** Pressed and let go, as a terminal tells it to a program that has asked for the mouse. */
function clickBytes(column: string, row: string): string[] {
  const bytes = Buffer.from(`\u001B[<0;${column};${row}M\u001B[<0;${column};${row}m`)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0'))
}

/** The words of the tmux command that presses it. Throws for what is no key. */
export function keyWords(pane: string, key: Key): string[] {
  if ('text' in key) return ['send-keys', '-t', pane, '-l', '--', inert(key.text)]
  const click = clickName.exec(key.key)
  if (click) return ['send-keys', '-t', pane, '-H', ...clickBytes(click[1]!, click[2]!)]
  if (!keyName.test(key.key)) {
    throw new RemoraError('input', `There is no key ${JSON.stringify(key.key)}`, {
      hint: "Use tmux's names, such as Enter, Escape, Up, C-c or F2; words are given as text.",
    })
  }
  return ['send-keys', '-t', pane, '--', key.key]
}

export async function pressKey(pane: Pane, key: Key): Promise<void> {
  const { pane: id } = pane.address
  // A person who scrolls back would catch the key; the mode is left first.
  await pane.batch({ commands: [['copy-mode', '-q', '-t', id], keyWords(id, key)] })
  await afterKey(key)
}

const afterEscape = 120

/** What comes right behind an Escape would be one key with it, by the rules of terminals. */
export async function afterKey(key: Key): Promise<void> {
  if ('key' in key && key.key === 'Escape') await sleep(afterEscape)
}

/**
 * Presses a key if a condition of tmux's formats holds in the same moment: nothing that the agent draws can come between
 * the looking and the key. Tells whether it was pressed.
 */
export async function pressKeyIf(pane: Pane, key: Key, condition: string): Promise<boolean> {
  const { pane: id } = pane.address
  const [press, skip] = [keyWords(id, key), ['display-message', '-p', 'skipped']].map(command)
  const [, , said] = await pane.batch({
    commands: [
      ['copy-mode', '-q', '-t', id],
      ['if-shell', '-F', '-t', id, condition, press!, skip!],
    ],
    // The last one is of the command that was chosen.
    answers: 3,
  })
  return said?.[0] !== 'skipped'
}

/** Puts a text into the input line, as if it were pasted. */
export async function paste(pane: Pane, text: string): Promise<void> {
  const { pane: id } = pane.address
  const buffer = `remora-${randomUUID()}`
  await pane.batch({
    commands: [
      ['copy-mode', '-q', '-t', id],
      ['set-buffer', '-b', buffer, '--', inert(text)],
      ['paste-buffer', '-p', '-d', '-b', buffer, '-t', id],
    ],
  })
}

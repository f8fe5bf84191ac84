import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Pane } from './pane.ts'
import type { Key } from './terminal.ts'

/**
 * Removes control characters but tabs and line breaks, so that no text can end its own paste and continue as keys.
 *
 * @example removeControls('a\u001B[201~b') // 'a[201~b'
 */
export function removeControls(text: string): string {
  return (
    text
      .replaceAll(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '')
  )
}

const keyName =
  /^(?:[CMS]-)*(?:[!-~]|Enter|Escape|Tab|BTab|Space|BSpace|Up|Down|Left|Right|Home|End|PageUp|PageDown|PgUp|PgDn|PPage|NPage|Insert|Delete|IC|DC|F(?:[1-9]|1[0-2]))$/

/** A mouse click on a cell, by its column and row, counted from 1. */
const clickName = /^Click:(\d{1,4}),(\d{1,4})$/

/** One key by tmux's name, a click, or a text to be typed. @example toKey('C-y'); toKey('Click:10,38'); toKey('/model') */
export function toKey(word: string): Key {
  return word.length > 1 && (keyName.test(word) || clickName.test(word)) ? { key: word } : { text: word }
}

/** The press and release that a terminal sends to a program with mouse support; undefined for another key. */
export function toClick(name: string): string | undefined {
  const [, column, row] = clickName.exec(name) ?? []
  return column === undefined ? undefined : `\u001B[<0;${column};${row}M\u001B[<0;${column};${row}m`
}

/** Throws for an unknown key. */
export function checkKey(key: Key): void {
  if ('text' in key || keyName.test(key.key) || clickName.test(key.key)) return
  throw new RemoraError('input', `There is no key ${JSON.stringify(key.key)}`, {
    hint: "Use tmux's names, such as Enter, Escape, Up, C-c or F2; words are given as text.",
  })
}

export async function pressKey(pane: Pane, key: Key): Promise<void> {
  checkKey(key)
  await pane.act((driver) => driver.press(key))
  await waitAfterKey(key)
}

const afterEscape = 120

/** Waits after an Escape, since terminals join it with a key that follows at once. */
export async function waitAfterKey(key: Key): Promise<void> {
  if ('key' in key && key.key === 'Escape') await sleep(afterEscape)
}

/** Pastes a text into the input line. */
export async function paste(pane: Pane, text: string): Promise<void> {
  await pane.act((driver) => driver.paste(removeControls(text)))
}

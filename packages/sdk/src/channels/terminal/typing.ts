import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Pane } from './pane.ts'
import type { Key } from './terminal.ts'
import { formatCommand } from './tmux-command.ts'

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

/** The press and release that a terminal sends to a program with mouse support. */
function toClickBytes(column: string, row: string): string[] {
  const bytes = Buffer.from(`\u001B[<0;${column};${row}M\u001B[<0;${column};${row}m`)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0'))
}

/** The tmux command that presses a key. Throws for an unknown key. */
export function toSendKeys(pane: string, key: Key): string[] {
  if ('text' in key) return ['send-keys', '-t', pane, '-l', '--', removeControls(key.text)]
  const click = clickName.exec(key.key)
  if (click) return ['send-keys', '-t', pane, '-H', ...toClickBytes(click[1]!, click[2]!)]
  if (!keyName.test(key.key)) {
    throw new RemoraError('input', `There is no key ${JSON.stringify(key.key)}`, {
      hint: "Use tmux's names, such as Enter, Escape, Up, C-c or F2; words are given as text.",
    })
  }
  return ['send-keys', '-t', pane, '--', key.key]
}

export async function pressKey(pane: Pane, key: Key): Promise<void> {
  const { pane: id } = pane.address
  // Leave copy mode first, since it would take the key while the user scrolls back.
  await pane.batch({ commands: [['copy-mode', '-q', '-t', id], toSendKeys(id, key)] })
  await waitAfterKey(key)
}

const afterEscape = 120

/** Waits after an Escape, since terminals join it with a key that follows at once. */
export async function waitAfterKey(key: Key): Promise<void> {
  if ('key' in key && key.key === 'Escape') await sleep(afterEscape)
}

/**
 * Presses a key if a condition in tmux's format language holds in the same moment, so that the agent draws nothing between
 * the check and the key. Returns whether it was pressed.
 */
export async function pressKeyIf(pane: Pane, key: Key, condition: string): Promise<boolean> {
  const { pane: id } = pane.address
  const [press, skip] = [toSendKeys(id, key), ['display-message', '-p', 'skipped']].map(formatCommand)
  const [, , answer] = await pane.batch({
    commands: [
      ['copy-mode', '-q', '-t', id],
      ['if-shell', '-F', '-t', id, condition, press!, skip!],
    ],
    // The last answer is that of the chosen command.
    answers: 3,
  })
  return answer?.[0] !== 'skipped'
}

/** Pastes a text into the input line. */
export async function paste(pane: Pane, text: string): Promise<void> {
  const { pane: id } = pane.address
  const buffer = `remora-${randomUUID()}`
  await pane.batch({
    commands: [
      ['copy-mode', '-q', '-t', id],
      ['set-buffer', '-b', buffer, '--', removeControls(text)],
      ['paste-buffer', '-p', '-d', '-b', buffer, '-t', id],
    ],
  })
}

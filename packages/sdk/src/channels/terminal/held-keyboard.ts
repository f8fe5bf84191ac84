import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pane } from './pane.ts'
import type { Key } from './terminal.ts'
import { formatCommand } from './tmux-command.ts'
import { waitAfterKey, toSendKeys } from './typing.ts'

/** How long an agent gets to draw the effect of a key that the user pressed just before. */
const drawMs = 80
/** After so many seconds tmux releases the keyboard by itself, in case this process has ended. */
const returnSeconds = 3

/** A pane that accepts no keys but ours. */
export interface HeldKeyboard {
  /** Presses a key, if a condition of tmux's formats holds in the same moment. Returns whether it was pressed. */
  press(key: Key, condition?: string): Promise<boolean>
  release(): Promise<void>
}

/**
 * Blocks the keys of other clients for a moment. A key that was pressed before may not be drawn yet: only when it is, and
 * no other can follow, does the screen show what our key will reach.
 *
 * @example
 * const keyboard = await holdKeyboard(pane)
 * try { await keyboard.press({ text: '1' }, condition) } finally { await keyboard.release() }
 */
export async function holdKeyboard(pane: Pane): Promise<HeldKeyboard> {
  const { pane: id } = pane.address
  const token = randomUUID()
  const off = ['select-pane', '-d', '-t', id]
  const on = ['select-pane', '-e', '-t', id]
  // A delayed tmux command without a shell would be dropped together with its client.
  const giveBack = `[ "$(tmux show-options -pqv -t ${id} ${mark})" = ${token} ] && tmux ${on.join(' ')}`
  // tmux would show any output or failure in the pane, in a mode that takes all keys.
  const silently = `{ ${giveBack}; } >/dev/null 2>&1 || :`
  await pane.batch({
    commands: [
      ['set-option', '-p', '-t', id, mark, token],
      off,
      ['run-shell', '-b', '-d', String(returnSeconds), silently],
    ],
  })
  await sleep(drawMs)
  return {
    async press(key, condition = '1') {
      const sure = `#{&&:#{pane_input_off},${condition}}`
      const press = [on, toSendKeys(id, key), off]
      // Both branches need the same number of answers.
      const skip = ['skipped', '', ''].map((text) => ['display-message', '-p', text])
      const [, , answer] = await pane.batch({
        commands: [
          // Leave copy mode first, since it would take the key while the user scrolls back.
          ['copy-mode', '-q', '-t', id],
          [
            'if-shell',
            '-F',
            '-t',
            id,
            sure,
            ...[press, skip].map((all) => all.map(formatCommand).join(' ; ')),
          ],
        ],
        answers: 5,
      })
      const pressed = answer?.[0] !== 'skipped'
      if (pressed) await waitAfterKey(key)
      return pressed
    },
    async release() {
      // If the pane has ended, there is nothing to release.
      await pane.batch({ commands: [on, ['set-option', '-p', '-u', '-t', id, mark]] }).catch(() => {})
    },
  }
}

const mark = '@remora-held'

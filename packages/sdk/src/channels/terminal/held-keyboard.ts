import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pane } from './pane.ts'
import type { Key } from './terminal.ts'
import { command } from './tmux-words.ts'
import { afterKey, keyWords } from './typing.ts'

/** So long an agent gets to draw what came of a key that somebody pressed just before. */
const digestMs = 80
/** After so many seconds tmux gives the keyboard back by itself, should we be gone by then. */
const returnSeconds = 3

/** A pane that takes no keys but ours. */
export interface HeldKeyboard {
  /** Presses a key, if a condition of tmux's formats holds in the same moment. Tells whether it was pressed. */
  press(key: Key, condition?: string): Promise<boolean>
  release(): Promise<void>
}

/**
 * Keeps the keys of everybody else away for a moment. A key that somebody has pressed already may not be drawn yet: only
 * when it is, and when no other can follow, does the screen tell what our key will meet.
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
  // tmux itself could do it without a shell, but forgets it with the client that wanted it.
  const giveBack = `[ "$(tmux show-options -pqv -t ${id} ${mark})" = ${token} ] && tmux ${on.join(' ')}`
  // Whatever a command says, or that it failed, tmux would show in the pane, in a mode that catches all keys.
  const silently = `{ ${giveBack}; } >/dev/null 2>&1 || :`
  await pane.batch({
    commands: [
      ['set-option', '-p', '-t', id, mark, token],
      off,
      ['run-shell', '-b', '-d', String(returnSeconds), silently],
    ],
  })
  await sleep(digestMs)
  return {
    async press(key, condition = '1') {
      const sure = `#{&&:#{pane_input_off},${condition}}`
      const press = [on, keyWords(id, key), off]
      // As many answers either way.
      const skip = ['skipped', '', ''].map((said) => ['display-message', '-p', said])
      const [, , said] = await pane.batch({
        commands: [
          // A person who scrolls back would catch the key; the mode is left first.
          ['copy-mode', '-q', '-t', id],
          ['if-shell', '-F', '-t', id, sure, ...[press, skip].map((all) => all.map(command).join(' ; '))],
        ],
        answers: 5,
      })
      const pressed = said?.[0] !== 'skipped'
      if (pressed) await afterKey(key)
      return pressed
    },
    async release() {
      // Gone with its pane, there is nothing to give back.
      await pane.batch({ commands: [on, ['set-option', '-p', '-u', '-t', id, mark]] }).catch(() => {})
    },
  }
}

const mark = '@remora-held'

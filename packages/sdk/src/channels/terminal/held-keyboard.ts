import { setTimeout as sleep } from 'node:timers/promises'
import type { Pane } from './pane.ts'
import type { HeldKeys } from './terminal-driver.ts'
import { checkKey, waitAfterKey } from './typing.ts'

/** How long an agent gets to draw the effect of a key that the user pressed just before. */
const drawMs = 80
/**
 * Blocks the keys of other clients for a moment. A key that was pressed before may not be drawn yet: only when it is, and
 * no other can follow, does the screen show what our key will reach.
 *
 * @example
 * const keyboard = await holdKeyboard(pane)
 * try { await keyboard.press({ text: '1' }, shown) } finally { await keyboard.release() }
 */
export async function holdKeyboard(pane: Pane): Promise<HeldKeys> {
  const keys = await pane.act((driver) => driver.hold())
  await sleep(drawMs)
  return {
    async press(key, shown) {
      checkKey(key)
      const pressed = await pane.act(() => keys.press(key, shown))
      if (pressed) await waitAfterKey(key)
      return pressed
    },
    // If the terminal has ended, there is nothing to release.
    release: () => keys.release().catch(() => {}),
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Screen, Step } from '../../contract/agent.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import type { Pane } from './pane.ts'
import { sendPrompt } from './send-prompt.ts'
import { toKey, pressKey } from './typing.ts'

const maxSteps = 12
const waitMs = 100
const maxWaits = 150
/** After so many waits, a step that the agent allows to repeat counts as lost. */
const lostWaits = 30
/** How long a key may take to have a visible effect. */
const effectMs = 8_000

/**
 * Executes the steps that the agent returns, and reads the screen after each.
 *
 * @example await switchTo(pane, 'the mode plan', (screen, step) => part.switchMode('plan', screen, step))
 */
export async function switchTo(
  pane: Pane,
  what: string,
  next: (screen: Screen, step: number) => Step | undefined,
): Promise<void> {
  let waits = 0
  let waitsHere = 0
  for (let step = 0; step < maxSteps;) {
    const captured = await pane.look()
    if (!captured || pane.exited) throw pane.ended()
    if (step === 0 && pane.now.state === 'asking') {
      throw new RemoraError('conflict', `${pane.agent.title} waits for an answer`, {
        hint: 'Answer it first.',
      })
    }
    const todo = next(captured.screen, step)
    if (!todo) {
      throw createUnsupportedError(
        pane.agent.title,
        `${what} while it runs`,
        'Start it anew with the option.',
      )
    }
    if ('done' in todo) return
    if ('wait' in todo) {
      if (++waits > maxWaits) break
      await sleep(waitMs)
      if (todo.again && ++waitsHere > lostWaits && step > 0) step--
      continue
    }
    waitsHere = 0
    if ('keys' in todo) {
      for (const key of todo.keys) {
        await pressKey(pane, toKey(key))
        await pane.quiet(40, 400)
      }
      await waitForChange(pane, captured.screen)
    } else {
      await sendPrompt(pane, todo.submit, { kind: 'slash' })
    }
    // Long enough for a program that draws after a moment.
    await sleep(120)
    await pane.quiet(100, 1_500)
    step++
  }
  throw new RemoraError('unknown', `${pane.agent.title} did not get to ${what}`, {
    hint: 'Look at its terminal; it may need an answer first.',
  })
}

/**
 * Waits for the effect of a key, which must not be pressed again before: on a busy machine a program is slow, and a second
 * key would mean something else.
 */
async function waitForChange(pane: Pane, before: Screen): Promise<void> {
  const shown = before.lines.join('\n')
  for (const end = performance.now() + effectMs; performance.now() < end; await sleep(50)) {
    const captured = await pane.look()
    if (!captured || captured.screen.lines.join('\n') !== shown) return
  }
}

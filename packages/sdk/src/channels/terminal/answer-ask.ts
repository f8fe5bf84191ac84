import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { ScreenAsk } from '../../contract/agent.ts'
import { holdKeyboard } from './held-keyboard.ts'
import type { Pane } from './pane.ts'
import { readScreen } from './reading.ts'
import type { Key } from './terminal.ts'
import { toShownPatterns } from './shown-condition.ts'
import { removeControls, toKey, paste, pressKey } from './typing.ts'

/** How long an agent may take to close an answered dialog. It took more than five seconds on a busy machine. */
const goneMs = 30_000

/** How long a key that reached no dialog may take to appear in the input line. */
const strayMs = 500

/** A dialog that was drawn this recently may drop keys: it is shown before it listens. */
const settleMs = 250
/** How long to wait for that on a screen that is never quiet. */
const mostSettleMs = 1_000

/** How long a redraw may hide a dialog, and the interval between checks. */
const redrawMs = 1_000
const redrawStepMs = 60

/** How long to retry keys that the driver refused. */
const refusedMs = 10_000

/** The user's answer. */
export interface Choice {
  readonly option?: string
  readonly text?: string
}

/**
 * Presses the keys of an answer, if the pane still shows exactly what was asked.
 *
 * @example await answerAsk(pane, digest, { option: '1' }) // 'done', or 'gone' and no key was pressed
 */
export async function answerAsk(pane: Pane, digest: string, choice: Choice): Promise<'done' | 'gone'> {
  await pane.quiet(settleMs, mostSettleMs)
  const seen = await findShown(pane, digest)
  if (!seen) return 'gone'
  const { ask } = seen
  const { before, text, after } = getKeys(ask, choice)
  // Text without a key before it is pasted right after the check above; no later check is possible.
  if (before.length > 0 && !(await pressAll(pane, digest, before))) return 'gone'
  if (text !== undefined) {
    await pane.quiet(60, 1_000)
    await paste(pane, text)
    await pane.quiet(150, 1_000)
    for (const key of after) await pressKey(pane, key)
  }
  if (await pane.until((now) => now.ask?.digest !== digest, goneMs)) {
    return before.length === 1 && (await removeStrayKey(pane, before[0]!)) ? 'gone' : 'done'
  }
  throw new RemoraError('unknown', `${pane.agent.title} still shows what was answered: ${ask.title}`, {
    hint: 'The keys were pressed and nothing came of it. Look at its terminal.',
  })
}

/** Presses the keys of an answer; false, and no key was pressed, if the pane no longer shows what was asked. */
async function pressAll(pane: Pane, digest: string, keys: readonly Key[]): Promise<boolean> {
  const deadline = performance.now() + refusedMs
  for (;;) {
    const outcome = await tryPressAll(pane, digest, keys)
    if (outcome !== 'refused') return outcome === 'pressed'
    if (performance.now() > deadline) return false
  }
}

/**
 * Presses the keys while no others reach the pane. `refused`: the dialog was redrawn in that moment, or a busy machine took
 * longer than the keyboard is held; no key was pressed, and the caller may try again.
 */
async function tryPressAll(
  pane: Pane,
  digest: string,
  keys: readonly Key[],
): Promise<'pressed' | 'gone' | 'refused'> {
  const keyboard = await holdKeyboard(pane)
  try {
    for (const [index, key] of keys.entries()) {
      if (index > 0) await pane.quiet(40, 500)
      const seen = await findShown(pane, digest)
      // A dialog may close at the first key, and the next one is then not meant for what follows.
      if (!seen) return index > 0 ? 'pressed' : 'gone'
      const shown = toShownPatterns(seen.lines, getTexts(seen.ask))
      if (await keyboard.press(key, shown)) continue
      await pane.look()
      return index > 0 ? 'pressed' : 'refused'
    }
    return 'pressed'
  } finally {
    await keyboard.release()
  }
}

function getTexts({ title, body = '', options }: ScreenAsk): string[] {
  return [title, ...body.split('\n'), ...options.map(({ label }) => label)]
}

interface ShownAsk {
  readonly ask: ScreenAsk
  readonly lines: readonly string[]
}

/** Finds the ask on the screen. It checks repeatedly, since the agent may be redrawing its screen. */
async function findShown(pane: Pane, digest: string): Promise<ShownAsk | undefined> {
  const deadline = performance.now() + redrawMs
  for (;;) {
    const captured = await pane.look()
    if (!captured || captured.about.dead) return undefined
    const { ask, input } = readScreen(pane.part, captured.screen)
    if (ask?.digest === digest) return { ask, lines: captured.screen.lines }
    // An input line or a dialog with another text means that the ask is over.
    const isOver = input !== undefined || ask?.body || performance.now() > deadline
    if (isOver && !pane.isRedrawing) return undefined
    await sleep(redrawStepMs)
  }
}

/**
 * Removes our key from the input line. It gets there if the user answered at the keyboard and the agent drew that very
 * late.
 */
async function removeStrayKey(pane: Pane, key: Key): Promise<boolean> {
  if (!('text' in key)) return false
  await pane.until(({ input }) => input === key.text, strayMs)
  await pane.look()
  if (pane.now.input !== key.text) return false
  await pressKey(pane, { key: 'BSpace' })
  return true
}

function getKeys(ask: ScreenAsk, { option, text }: Choice): { before: Key[]; text?: string; after: Key[] } {
  if (option !== undefined) {
    const chosen = ask.options.find(({ id }) => id === option)
    if (chosen) return { before: chosen.keys.map(toKey), after: [] }
    throw new RemoraError('input', `There is no option ${JSON.stringify(option)} to choose`, {
      hint: `Choose one of ${ask.options.map(({ id }) => id).join(', ')}.`,
    })
  }
  if (text === undefined || removeControls(text).trim() === '') {
    throw new RemoraError('input', 'An answer needs an option or a text')
  }
  if (!ask.freeText) throw new RemoraError('unsupported', 'No words of your own are taken here')
  return { before: ask.freeText.before.map(toKey), text, after: ask.freeText.after.map(toKey) }
}

import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { readScreen } from './terminal-screen.ts'

/** More presses than this mean that the mode is not to be had, as in a folder that is not trusted. */
const mostPresses = 6

/** How long an answer to a command may take, in looks at the screen. */
const mostLooks = 20

/** Ctrl+Y for bypassPermissions and back; Shift+Tab goes through the others. @example switchMode('plan', screen, 0) // { keys: ['BTab'] } */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, state } = readScreen(screen)
  if (state === 'asking' || mode === undefined) return step < mostLooks ? { wait: true } : undefined
  if (mode === wanted) return { done: true }
  if (step >= mostPresses) return undefined
  return { keys: [mode === 'bypassPermissions' || wanted === 'bypassPermissions' ? 'C-y' : 'BTab'] }
}

/** `/model set`, which is for this session only. The CLI takes it when it is idle, and takes every name. */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const { state, model, ask } = readScreen(screen)
  if (step > mostLooks) return undefined
  // Versions without the command open a dialog instead, which must not stay.
  if (ask?.title === 'Select Model') return step > 0 ? { keys: ['Escape'] } : { wait: true }
  if (model?.toLowerCase() === wanted.toLowerCase()) return { done: true }
  if (state !== 'idle' && state !== 'error') return { wait: true }
  if (step > 0 && screen.lines.some((line) => line.trimEnd() === `ℹ Model set to ${wanted}`))
    return { done: true }
  return step === 0 || !waitsForAnswer(wanted, screen) ? once(wanted, step) : { wait: true }
}

const waitsForAnswer = (wanted: string, { lines }: Screen) =>
  lines.some((line) => line.includes(`/model set ${wanted}`))

/** Sent twice it would do no harm, but a version that does not know it would be asked for ever. */
function once(wanted: string, step: number): Step | undefined {
  return step < 3 ? { submit: `/model set ${wanted}` } : undefined
}

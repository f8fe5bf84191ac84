import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { readScreen } from './terminal-screen.ts'

/** After this many key presses the mode is unavailable, as in an untrusted folder. */
const mostPresses = 6

/** How long the answer to a command may take, in screen reads. */
const mostLooks = 20

/** Ctrl+Y for bypassPermissions and back; Shift+Tab goes through the others. @example switchMode('plan', screen, 0) // { keys: ['BTab'] } */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, state } = readScreen(screen)
  if (state === 'asking' || mode === undefined) return step < mostLooks ? { wait: true } : undefined
  if (mode === wanted) return { done: true }
  if (step >= mostPresses) return undefined
  return { keys: [mode === 'bypassPermissions' || wanted === 'bypassPermissions' ? 'C-y' : 'BTab'] }
}

/** Sends `/model set`, which applies to this session only. The CLI accepts it when idle, and accepts every name. */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const { state, model, ask } = readScreen(screen)
  if (step > mostLooks) return undefined
  // Versions without the command open a dialog instead, which must be closed.
  if (ask?.title === 'Select Model') return step > 0 ? { keys: ['Escape'] } : { wait: true }
  if (model?.toLowerCase() === wanted.toLowerCase()) return { done: true }
  if (state !== 'idle' && state !== 'error') return { wait: true }
  if (step > 0 && screen.lines.some((line) => line.trimEnd() === `ℹ Model set to ${wanted}`))
    return { done: true }
  return step === 0 || !waitsForAnswer(wanted, screen) ? once(wanted, step) : { wait: true }
}

const waitsForAnswer = (wanted: string, { lines }: Screen) =>
  lines.some((line) => line.includes(`/model set ${wanted}`))

/** Sending it twice does no harm, but the retries must end for versions that do not know it. */
function once(wanted: string, step: number): Step | undefined {
  return step < 3 ? { submit: `/model set ${wanted}` } : undefined
}

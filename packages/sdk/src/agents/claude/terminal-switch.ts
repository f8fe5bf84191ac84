import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { readScreen } from './terminal-screen.ts'

/** One more than Claude has modes. */
const maxPresses = 5
const maxSteps = 20

/**
 * Shift+Tab cycles through default, accept edits, plan and auto. The cycle contains bypassPermissions only in a session
 * that was started with it. No screen shows that, and a failed search would end in another mode.
 *
 * @example switchMode('plan', screen, 0) // { keys: ['BTab'] }
 */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, input } = readScreen(screen)
  if (input === undefined) return step < maxSteps ? { wait: true } : undefined
  if (mode === wanted) return { done: true }
  return wanted === 'bypassPermissions' || step >= maxPresses ? undefined : { keys: ['BTab'] }
}

/**
 * `/model <id>` writes the model into the user's settings. The models of the dialog are chosen there instead, where the
 * key `s` changes only this session.
 *
 * @example switchModel('sonnet', screen, 0) // { submit: '/model' }
 */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const { state, ask } = readScreen(screen)
  if (step > maxSteps) return undefined
  const open = ask?.title === 'Switch model?' || ask?.title === 'Select model'
  // After the last step nothing else would close the dialog.
  if (open && step === maxSteps) return { keys: ['Escape'] }
  if (ask?.title === 'Switch model?') return { keys: ['1'] }
  if (ask?.title === 'Select model') return choose(wanted, screen)
  if (state !== 'idle' && state !== 'error') return { wait: true }
  if (step === 0) return { submit: inDialog(wanted) ? '/model' : `/model ${wanted}` }
  return isAnswered(wanted, screen.lines) ? { done: true } : { wait: true }
}

const inDialog = (wanted: string) => /^(?:default|opus|sonnet|haiku)$/i.test(wanted)

/** Moves the mark by one key at a time until it is at the wanted model. */
function choose(wanted: string, { lines }: Screen): Step {
  const dialog = lines.slice(lines.findLastIndex((line) => line.trim() === 'Select model') + 1)
  const rows = dialog.flatMap((line) => {
    const [, mark, label] = /^\s*(❯)?\s*\d+\.\s+(\S+)/.exec(line) ?? []
    return label === undefined ? [] : [{ marked: mark !== undefined, label: label.toLowerCase() }]
  })
  const marked = rows.findIndex((row) => row.marked)
  const goal = rows.findIndex(({ label }) => label === wanted.toLowerCase())
  if (goal === -1) return { keys: ['Escape'] }
  return { keys: [marked === goal ? 's' : marked < goal ? 'Down' : 'Up'] }
}

/** Checks the rows below the last `/model` only, since the answer to an earlier one may be on the screen. */
function isAnswered(wanted: string, lines: readonly string[]): boolean {
  const sent = lines.findLastIndex((line) => /^❯\s\/model\b/.test(line))
  const answer = lines
    .slice(sent + 1, sent + 3)
    .find((line) => /^\s*⎿\s+(?:Set model to|Kept model as) /.test(line))
  if (sent === -1 || answer === undefined) return false
  return inDialog(wanted)
    ? answer.toLowerCase().includes(wanted.toLowerCase())
    : lines[sent]?.slice(2).trim() === `/model ${wanted}`
}

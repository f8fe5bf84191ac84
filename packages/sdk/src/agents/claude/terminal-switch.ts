import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { readScreen } from './terminal-screen.ts'

/** One more than Claude has modes. */
const mostPresses = 5
const mostLooks = 20

/**
 * Shift+Tab goes through default, accept edits, plan and auto. It passes bypassPermissions only in a session that was
 * started with it, which no screen tells; and a search for it would leave another mode behind.
 *
 * @example switchMode('plan', screen, 0) // { keys: ['BTab'] }
 */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, input } = readScreen(screen)
  if (input === undefined) return step < mostLooks ? { wait: true } : undefined
  if (mode === wanted) return { done: true }
  return wanted === 'bypassPermissions' || step >= mostPresses ? undefined : { keys: ['BTab'] }
}

/**
 * `/model <id>` writes the model into the user's settings, so the names that the dialog has are chosen there, where a key
 * means this session only.
 *
 * @example switchModel('sonnet', screen, 0) // { submit: '/model' }
 */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const { state, ask } = readScreen(screen)
  if (step > mostLooks) return undefined
  const open = ask?.title === 'Switch model?' || ask?.title === 'Select model'
  // Nobody else would close the dialog after the last step.
  if (open && step === mostLooks) return { keys: ['Escape'] }
  if (ask?.title === 'Switch model?') return { keys: ['1'] }
  if (ask?.title === 'Select model') return choose(wanted, screen)
  if (state !== 'idle' && state !== 'error') return { wait: true }
  if (step === 0) return { submit: inDialog(wanted) ? '/model' : `/model ${wanted}` }
  return isAnswered(wanted, screen.lines) ? { done: true } : { wait: true }
}

const inDialog = (wanted: string) => /^(?:default|opus|sonnet|haiku)$/i.test(wanted)

/** One key at a time, until the mark stands before the wanted one. */
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

/** What stands below the last `/model` that was sent. An earlier answer must not be taken for the one to this. */
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

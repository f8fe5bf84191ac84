import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { readAsk } from './terminal-dialogs.ts'
import { findComposer } from './terminal-composer.ts'
import { type CodexList, findListAbove } from './terminal-list.ts'

/** The permissions of each mode. In a trusted folder "Ask for approval" allows edits of the workspace. */
const permissionLabels: Record<Mode, string> = {
  default: 'Ask for approval',
  acceptEdits: 'Ask for approval',
  plan: 'Read Only',
  auto: 'Approve for me',
  bypassPermissions: 'Full Access',
}

/**
 * Chooses the permissions of a mode in their dialog, then turns Codex's Plan mode on or off by its key. Plan mode alone is
 * not read-only, since it does not change the sandbox.
 */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const composer = findComposer(screen)
  if (step === 0) return { submit: '/permissions' }
  const picker = findPicker(screen, 'Update Model Permissions')
  if (picker) {
    const row = picker.items.find(({ label }) => normalize(label) === normalize(permissionLabels[wanted]))
    if (!row) return wanted === 'plan' ? undefined : { keys: ['Escape'] }
    return row.label.endsWith('(current)') ? { keys: ['Escape'] } : { keys: [String(row.number)] }
  }
  const ask = readAsk(screen)
  if (ask?.title === 'Enable full access?' && wanted === 'bypassPermissions') return { keys: ['1'] }
  if (step === 1 || ask || !composer) return { wait: true }
  if (composer.plan === (wanted === 'plan')) return { done: true }
  return step > 4 ? undefined : { keys: ['BTab'] }
}

/** Chooses the model and its proposed effort with the key `s`, which changes this session only. */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const composer = findComposer(screen)
  const efforts = findPicker(screen, 'Select Reasoning Level for ')
  if (efforts) return { keys: ['s'] }
  const picker = findPicker(screen, 'Select Model')
  if (picker) {
    const row = picker.items.find(({ label }) => normalize(label) === normalize(wanted))
    // Rows without a digit are reached by the arrow keys; the list wraps around at its end.
    if (row)
      return row.number < 10
        ? { keys: [String(row.number)] }
        : { keys: [...toArrows(picker, row.number), 'Enter'] }
    return picker.more && step < 3
      ? { keys: toArrows(picker, (picker.items.at(-1)?.number ?? 0) + 3) }
      : { keys: ['Escape'] }
  }
  if (composer?.model !== undefined && normalize(composer.model) === normalize(wanted)) return { done: true }
  if (step === 0) return { submit: '/model' }
  return step === 1 || !composer ? { wait: true } : undefined
}

function toArrows({ items }: CodexList, to: number): string[] {
  const marked = items.find((each) => each.marked)?.number ?? 1
  return Array.from({ length: Math.abs(to - marked) }, () => (to > marked ? 'Down' : 'Up'))
}

/** The list of the dialog whose title starts with `title`. */
function findPicker(screen: Screen, title: string): CodexList | undefined {
  if (!readAsk(screen)?.title.startsWith(title)) return undefined
  const foot = screen.lines.findLastIndex((line) => /^ {2}enter /.test(line))
  return findListAbove(screen.lines, foot)
}

/** @example normalize('GPT-6-Astra (current)') === normalize('gpt-6-astra') */
function normalize(name: string): string {
  return name
    .replace(/ \((?:current|default)\)$/, '')
    .toLowerCase()
    .replaceAll(/[^\da-z.]/g, '')
}

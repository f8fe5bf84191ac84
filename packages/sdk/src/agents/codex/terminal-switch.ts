import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { askOn } from './terminal-dialogs.ts'
import { composerOn } from './terminal-composer.ts'
import { type CodexList, listAbove } from './terminal-list.ts'

/** The permissions of each mode. In a trusted folder "Ask for approval" leaves edits of the workspace free. */
const rows: Record<Mode, string> = {
  default: 'Ask for approval',
  acceptEdits: 'Ask for approval',
  plan: 'Read Only',
  auto: 'Approve for me',
  bypassPermissions: 'Full Access',
}

/**
 * Chooses the permissions of a mode in their dialog, then turns the Plan mode of Codex on or off by its key. That mode alone
 * is not read-only: the sandbox stays as it was.
 */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const composer = composerOn(screen)
  if (step === 0) return { submit: '/permissions' }
  const picker = pickerOn(screen, 'Update Model Permissions')
  if (picker) {
    const row = picker.items.find(({ label }) => plain(label) === plain(rows[wanted]))
    if (!row) return wanted === 'plan' ? undefined : { keys: ['Escape'] }
    return row.label.endsWith('(current)') ? { keys: ['Escape'] } : { keys: [String(row.number)] }
  }
  const ask = askOn(screen)
  if (ask?.title === 'Enable full access?' && wanted === 'bypassPermissions') return { keys: ['1'] }
  if (step === 1 || ask || !composer) return { wait: true }
  if (composer.plan === (wanted === 'plan')) return { done: true }
  return step > 4 ? undefined : { keys: ['BTab'] }
}

/** The model, and the effort that it proposes; for this session only, since the other key would change the settings. */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const composer = composerOn(screen)
  const efforts = pickerOn(screen, 'Select Reasoning Level for ')
  if (efforts) return { keys: ['s'] }
  const picker = pickerOn(screen, 'Select Model')
  if (picker) {
    const row = picker.items.find(({ label }) => plain(label) === plain(wanted))
    // What stands further below is reached by the arrows; it begins anew behind the end.
    if (row)
      return row.number < 10
        ? { keys: [String(row.number)] }
        : { keys: [...arrows(picker, row.number), 'Enter'] }
    return picker.more && step < 3
      ? { keys: arrows(picker, (picker.items.at(-1)?.number ?? 0) + 3) }
      : { keys: ['Escape'] }
  }
  if (composer?.model !== undefined && plain(composer.model) === plain(wanted)) return { done: true }
  if (step === 0) return { submit: '/model' }
  return step === 1 || !composer ? { wait: true } : undefined
}

function arrows({ items }: CodexList, to: number): string[] {
  const marked = items.find((each) => each.marked)?.number ?? 1
  return Array.from({ length: Math.abs(to - marked) }, () => (to > marked ? 'Down' : 'Up'))
}

/** The rows of a dialog by the beginning of its title. */
function pickerOn(screen: Screen, title: string): CodexList | undefined {
  if (!askOn(screen)?.title.startsWith(title)) return undefined
  const foot = screen.lines.findLastIndex((line) => /^ {2}enter /.test(line))
  return listAbove(screen.lines, foot)
}

/** @example plain('GPT-6-Astra (current)') === plain('gpt-6-astra') */
function plain(name: string): string {
  return name
    .replace(/ \((?:current|default)\)$/, '')
    .toLowerCase()
    .replaceAll(/[^\da-z.]/g, '')
}

import { findMode } from '@remora/protocol/plain'
import type { Invocation, Mode, TerminalPart, TerminalStart, Screen, Step } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { getEntry, modes } from './modes.ts'
import { findPlanObstacle } from './plan-obstacle.ts'
import { readScreen } from './terminal-screen.ts'
import { readAsk } from './terminal-dialogs.ts'
import { findComposer } from './terminal-composer.ts'
import { type CodexList, findListAbove } from './terminal-list.ts'

export const terminal: TerminalPart = {
  // Shift+Tab switches between Default and Plan; permissions have a dialog of their own.
  modeSwitch: 'toggle',
  choosesSession: () => false,
  invocation,
  planObstacle: findPlanObstacle,
  read: readScreen,
  // Codex trims before it checks for an exclamation mark; a slash only counts as the first character.
  escapes: [
    { kind: 'shell', pattern: leadingBang, prefix: wordJoiner },
    { kind: 'slash', pattern: leadingSlash, prefix: ' ' },
  ],
  switchMode,
  switchModel,
  interrupt: ['Escape'],
  quit: '/quit',
  mention: (path) => (/\s/.test(path) ? `@"${path}"` : `@${path}`),
  findSessionId,
}

function invocation(request: TerminalStart, version: string | undefined): Invocation {
  if (request.sessionId !== undefined) {
    const hint = 'Omit it: Codex chooses the id, and Remora reads it from the name of the open session file.'
    throw createUnsupportedError('Codex', 'the option sessionId', hint)
  }
  const args: string[] = []
  if (request.resume !== undefined) args.push(request.fork ? 'fork' : 'resume')
  if (request.resume === 'latest') args.push('--last')
  else if (request.resume !== undefined) args.push(request.resume)
  // The daemon outlives the terminal and copies 436 MB into the home. As a setting, since older versions
  // do not know the flag --no-daemon.
  args.push(
    '-c',
    'features.daemon_auto_start=false',
    ...(request.mode === undefined
      ? []
      : requireMode({ title: 'Codex', modes }, request.mode, version).terminal),
  )
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.effort !== undefined) {
    args.push('-c', `model_reasoning_effort=${JSON.stringify(request.effort)}`)
  }
  for (const [event, command] of Object.entries(request.hooks ?? {})) {
    const entry = `[{hooks=[{type="command",command=${JSON.stringify(command)}}]}]`
    args.push('-c', `hooks.${event}=${entry}`)
  }
  args.push(...(request.extraArgs ?? []))
  // After a double dash, so that no prompt is taken for an option.
  if (request.prompt !== undefined) args.push('--', request.prompt)
  return { args }
}

const id = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** A fork is a new session, whose id is not in the command line. */
function findSessionId(args: readonly string[]): string | undefined {
  const at = args.indexOf('resume')
  return at === -1 ? undefined : args.slice(at + 1).find((arg) => id.test(arg))
}

/**
 * Chooses the permissions of a mode in their dialog, then turns Codex's Plan mode on or off by its key. Plan mode alone is
 * not read-only, since it does not change the sandbox.
 */
function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const composer = findComposer(screen)
  const mode = findMode(modes, wanted)
  if (!mode) return undefined
  if (step === 0) return { submit: '/permissions' }
  const picker = findPicker(screen, 'Update Model Permissions')
  if (picker) {
    const row = picker.items.find(({ label }) => normalize(label) === normalize(getEntry(mode)))
    if (!row) return mode.like === 'plan' ? undefined : { keys: ['Escape'] }
    return row.label.endsWith('(current)') ? { keys: ['Escape'] } : { keys: [String(row.number)] }
  }
  const ask = readAsk(screen)
  if (ask?.title === 'Enable full access?' && mode.like === 'bypass') return { keys: ['1'] }
  if (step === 1 || ask || !composer) return { wait: true }
  if (composer.plan === (mode.like === 'plan')) return { done: true }
  return step > 4 ? undefined : { keys: ['BTab'] }
}

/** Chooses the model and its proposed effort with the key `s`, which changes this session only. */
function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
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

import type { TerminalPart, TerminalStart, Mode, Screen, Step } from '../../contract/agent.ts'
import { brailleBlank, exitWord, leadingBang, leadingSlash } from '../../contract/prompt-escapes.ts'
import { getPlanSettings, toSharedArguments } from './arguments.ts'
import { findPlanObstacle } from './hook-obstacles.ts'
import { readScreen } from './terminal-screen.ts'

export const terminal: TerminalPart = {
  // Shift+Tab: default, accept edits, plan, auto, default.
  modeSwitch: 'cycle',
  invocation: (request, version) => ({ args: toArguments(request, version) }),
  choosesSession: () => true,
  planObstacle: findPlanObstacle,
  read: readScreen,
  // Claude checks the first character for its shell mode, and until 2.1 for its memory. Slash commands (since 2.1.283)
  // and exit words are compared trimmed and without invisible characters.
  escapes: [
    { kind: 'shell', pattern: leadingBang, prefix: ' ' },
    { kind: 'slash', pattern: leadingSlash, prefix: brailleBlank },
    { kind: 'slash', pattern: /^#/, prefix: ' ' },
    { kind: 'slash', pattern: exitWord, prefix: brailleBlank },
  ],
  switchMode,
  switchModel,
  interrupt: ['Escape'],
  quit: '/exit',
  mention: (path) => (/\s/.test(path) ? `@"${path}"` : `@${path}`),
  findSessionId,
}

function toArguments(request: TerminalStart, version: string | undefined): string[] {
  const args = toSharedArguments(request, version)
  if (request.fork) args.push('--fork-session')
  if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
  if (request.effort !== undefined) args.push('--effort', request.effort)
  args.push('--settings', JSON.stringify(toSettings(request)))
  args.push(...(request.extraArgs ?? []))
  // After a double dash, since a prompt may start with a dash, and some options take all following arguments.
  if (request.prompt !== undefined) args.push('--', request.prompt)
  return args
}

/** Seconds. A user may decide about a permission much later; the dialog on the screen does not wait for the hook. */
const hookTimeout = { PermissionRequest: 24 * 3600, others: 60 } as const

/** Claude runs these hooks in addition to those of the user's settings. */
function toSettings({ mode, hooks = {} }: TerminalStart): object {
  // The user may switch to bypassPermissions at the keyboard, unless the session was started in plan mode.
  const plan = getPlanSettings(mode === 'plan' ? 'plan' : 'bypassPermissions')
  const entries = Object.entries(hooks).map(([event, command]) => {
    const timeout = event === 'PermissionRequest' ? hookTimeout.PermissionRequest : hookTimeout.others
    return [event, [{ hooks: [{ type: 'command', command, timeout }] }]] as const
  })
  const own: Readonly<Record<string, readonly object[] | undefined>> = Object.fromEntries(entries)
  const events = new Set([...Object.keys(plan.hooks), ...Object.keys(own)])
  return {
    ...plan,
    hooks: Object.fromEntries(
      [...events].map((event) => [event, [...(plan.hooks[event] ?? []), ...(own[event] ?? [])]]),
    ),
  }
}

/** `--continue` and `--resume` without a value name no session. */
function findSessionId(args: readonly string[]): string | undefined {
  const fork = args.includes('--fork-session')
  for (const [index, arg] of args.entries()) {
    const [name, value = args[index + 1]] = arg.split('=', 2)
    if (name === '--session-id' && value) return value
    if (!fork && (name === '--resume' || name === '-r') && value && /^[0-9a-f-]{36}$/i.test(value))
      return value
  }
  return undefined
}

/** The modes of the Shift+Tab cycle, and one more. */
const maxPresses = 5
const maxSteps = 20
const inCycle: ReadonlySet<Mode> = new Set(['default', 'acceptEdits', 'plan', 'auto'])

/**
 * Shift+Tab cycles through default, accept edits, plan and auto. The cycle contains bypassPermissions only in a session
 * that was started with it, and never `dontAsk`. No screen shows that, and a failed search would end in another mode.
 *
 * @example switchMode('plan', screen, 0) // { keys: ['BTab'] }
 */
function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, input } = readScreen(screen)
  if (input === undefined) return step < maxSteps ? { wait: true } : undefined
  if (mode === wanted) return { done: true }
  return !inCycle.has(wanted) || step >= maxPresses ? undefined : { keys: ['BTab'] }
}

/**
 * `/model <id>` writes the model into the user's settings. The models of the dialog are chosen there instead, where the
 * key `s` changes only this session.
 *
 * @example switchModel('sonnet', screen, 0) // { submit: '/model' }
 */
function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
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

import type { TerminalPart, TerminalStart, Mode, Screen, Step } from '../../contract/agent.ts'
import { leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { atLeast, requireVersion, createUnsupportedError } from '../../versions/version.ts'
import { env, sharedArguments, title } from './arguments.ts'
import { findPlanObstacle, guardPlan } from './plan-guard.ts'
import { readScreen } from './terminal-screen.ts'
import { since } from './versions.ts'

export const terminal: TerminalPart = {
  // Shift+Tab cycles through default, acceptEdits and plan; only Ctrl+Y reaches bypassPermissions.
  modeSwitch: 'cycle',
  invocation: (request, version) => ({ args: toArguments(request, version), env }),
  choosesSession: (version) => atLeast(version, since.sessionId),
  guardPlan,
  planObstacle: findPlanObstacle,
  read: readScreen,
  // The CLI trims before it checks for a slash. Only a typed exclamation mark opens its shell mode, not a pasted one.
  escapes: [
    { kind: 'slash', pattern: leadingSlash, prefix: wordJoiner },
    { kind: 'shell', pattern: leadingBang, prefix: ' ' },
  ],
  switchMode,
  switchModel,
  interrupt: ['Escape'],
  quit: '/quit',
  // Its own wrapper waits for this. Remora skips the wrapper, because it ignores every signal.
  restartExitCode: 199,
  mention: (path) => `@${path.replaceAll(/([\s\\])/g, '\\$1')}`,
  findSessionId,
}

function toArguments(request: TerminalStart, version: string | undefined): string[] {
  if (request.effort !== undefined) {
    throw createUnsupportedError(
      title,
      'the option effort',
      'Leave it out; the model decides how much it thinks.',
    )
  }
  if (request.hooks && Object.keys(request.hooks).length > 0) {
    throw createUnsupportedError(
      title,
      'hooks for one run',
      'Install them with `remora hooks install gemini`.',
    )
  }
  if (request.fork) {
    throw createUnsupportedError(title, 'fork by itself', 'Copy the session first.')
  }
  const args = sharedArguments(request, version)
  if (request.sessionId !== undefined) {
    requireVersion(title, 'sessionId', version, since.sessionId)
    args.push('--session-id', request.sessionId)
  }
  args.push(...(request.extraArgs ?? []))
  // Uses an equals sign, because a prompt may begin with a dash.
  if (request.prompt !== undefined) args.push(`--prompt-interactive=${request.prompt}`)
  return args
}

/** `--resume latest` and `--resume 3` do not identify a session. */
function findSessionId(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [name, value = args[index + 1]] = arg.split('=', 2)
    if (name === '--session-id' && value) return value
    if ((name === '--resume' || name === '-r') && value && /^[0-9a-f-]{36}$/i.test(value)) return value
  }
  return undefined
}

/** After this many key presses the mode is unavailable, as in an untrusted folder. */
const mostPresses = 6

/** How long the answer to a command may take, in screen reads. */
const mostLooks = 20

/** Ctrl+Y for bypassPermissions and back; Shift+Tab goes through the others. @example switchMode('plan', screen, 0) // { keys: ['BTab'] } */
function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, state } = readScreen(screen)
  if (state === 'asking' || mode === undefined) return step < mostLooks ? { wait: true } : undefined
  if (mode === wanted) return { done: true }
  if (step >= mostPresses) return undefined
  return { keys: [mode === 'bypassPermissions' || wanted === 'bypassPermissions' ? 'C-y' : 'BTab'] }
}

/** Sends `/model set`, which applies to this session only. The CLI accepts it when idle, and accepts every name. */
function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
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

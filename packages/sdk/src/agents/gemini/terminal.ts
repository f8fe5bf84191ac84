import type { TerminalPart, TerminalStart } from '../../contract/agent.ts'
import { leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { atLeast } from '../../versions/version.ts'
import { requireVersion, createUnsupportedError } from '../../versions/unsupported.ts'
import { env, sharedArguments, title } from './arguments.ts'
import { findPlanObstacle, guardPlan } from './plan-guard.ts'
import { readScreen } from './terminal-screen.ts'
import { switchMode, switchModel } from './terminal-switch.ts'
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

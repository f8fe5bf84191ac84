import type { TerminalPart, TerminalStart } from '../../contract/agent.ts'
import { getPlanSettings, toSharedArguments } from './arguments.ts'
import { brailleBlank, exitWord, leadingBang, leadingSlash } from '../../contract/prompt-escapes.ts'
import { findPlanObstacle } from './hook-obstacles.ts'
import { readScreen } from './terminal-screen.ts'
import { switchMode, switchModel } from './terminal-switch.ts'

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

import type { TerminalPart, TerminalStart } from '../../contract/agent.ts'
import { getPlanSettings, sharedArguments } from './arguments.ts'
import { brailleBlank, exitWord, leadingBang, leadingSlash } from '../../contract/prompt-escapes.ts'
import { findPlanObstacle } from './hook-obstacles.ts'
import { readScreen } from './terminal-screen.ts'
import { switchMode, switchModel } from './terminal-switch.ts'

export const terminal: TerminalPart = {
  // Shift+Tab: default, accept edits, plan, auto, default.
  modeSwitch: 'cycle',
  invocation: (request, version) => ({ args: argumentsOf(request, version) }),
  choosesSession: () => true,
  planObstacle: findPlanObstacle,
  read: readScreen,
  // It looks at the first character for its shell mode, and until 2.1 for its memory. Slash commands, since 2.1.283, and
  // the words that close it are compared trimmed, and without invisible characters.
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
  sessionIn,
}

function argumentsOf(request: TerminalStart, version: string | undefined): string[] {
  const args = sharedArguments(request, version)
  if (request.fork) args.push('--fork-session')
  if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
  if (request.effort !== undefined) args.push('--effort', request.effort)
  args.push('--settings', JSON.stringify(toSettings(request)))
  args.push(...(request.extraArgs ?? []))
  // After a double dash, since a prompt may begin with one, and some options take every word that follows.
  if (request.prompt !== undefined) args.push('--', request.prompt)
  return args
}

/** Seconds. A permission waits for a person, who may be asleep; the dialog on the screen is not held up by it. */
const patience = { PermissionRequest: 24 * 3600, others: 60 } as const

/** These go beside the hooks of the user's own settings and replace none. */
function toSettings({ mode, hooks = {} }: TerminalStart): object {
  // A person may switch to bypassPermissions at the keyboard, unless the session was started to plan.
  const plan = getPlanSettings(mode === 'plan' ? 'plan' : 'bypassPermissions')
  const entries = Object.entries(hooks).map(([event, command]) => {
    const timeout = event === 'PermissionRequest' ? patience.PermissionRequest : patience.others
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

/** `--continue` and a bare `--resume` name none. */
function sessionIn(args: readonly string[]): string | undefined {
  const fork = args.includes('--fork-session')
  for (const [index, arg] of args.entries()) {
    const [name, value = args[index + 1]] = arg.split('=', 2)
    if (name === '--session-id' && value) return value
    if (!fork && (name === '--resume' || name === '-r') && value && /^[0-9a-f-]{36}$/i.test(value))
      return value
  }
  return undefined
}

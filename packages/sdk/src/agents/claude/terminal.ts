import type { TerminalPart, TerminalStart } from '../../agent.ts'
import { sharedArguments } from './arguments.ts'
import { readScreen } from './terminal-screen.ts'
import { switchMode, switchModel } from './terminal-switch.ts'

export const terminal: TerminalPart = {
  // Shift+Tab: default, accept edits, plan, auto, default.
  modeSwitch: 'cycle',
  invocation: (request) => ({ args: argumentsOf(request) }),
  choosesSession: () => true,
  read: readScreen,
  switchMode,
  switchModel,
  interrupt: ['Escape'],
  quit: '/exit',
  mention: (path) => (/\s/.test(path) ? `@"${path}"` : `@${path}`),
  sessionIn,
}

function argumentsOf(request: TerminalStart): string[] {
  const args = sharedArguments(request)
  if (request.fork) args.push('--fork-session')
  if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
  if (request.effort !== undefined) args.push('--effort', request.effort)
  if (request.hooks && Object.keys(request.hooks).length > 0) args.push('--settings', settings(request.hooks))
  args.push(...(request.extraArgs ?? []))
  // After a double dash, since a prompt may begin with one, and some options take every word that follows.
  if (request.prompt !== undefined) args.push('--', request.prompt)
  return args
}

/** Seconds. A permission waits for a person, who may be asleep; the dialog on the screen is not held up by it. */
const patience = { PermissionRequest: 24 * 3600, others: 60 } as const

/** These go beside the hooks of the user's own settings and replace none. */
function settings(hooks: Readonly<Record<string, string>>): string {
  const entries = Object.entries(hooks).map(([event, command]) => {
    const timeout = event === 'PermissionRequest' ? patience.PermissionRequest : patience.others
    return [event, [{ hooks: [{ type: 'command', command, timeout }] }]] as const
  })
  return JSON.stringify({ hooks: Object.fromEntries(entries) })
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

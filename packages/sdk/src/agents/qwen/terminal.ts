import type { Mode, Screen, Step, TerminalPart, TerminalStart } from '../../contract/agent.ts'
import { getModeName } from '@remora/protocol/plain'
import { exitWord, leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { env, toSharedArguments } from './arguments.ts'
import { title } from './dialect.ts'
import { modes } from './modes.ts'
import { findPlanObstacle } from './plan-guard.ts'
import { readScreen } from './terminal-screen.ts'

export const terminal: TerminalPart = {
  modeSwitch: 'cycle',
  invocation: (request, version) => ({ args: toArguments(request, version), env }),
  choosesSession: () => true,
  planObstacle: findPlanObstacle,
  read: readScreen,
  // The CLI trims before it compares. Only a typed exclamation mark opens its shell mode, not a pasted one.
  escapes: [
    { kind: 'slash', pattern: leadingSlash, prefix: wordJoiner },
    { kind: 'slash', pattern: /^\s*\?btw\b/, prefix: wordJoiner },
    { kind: 'shell', pattern: leadingBang, prefix: ' ' },
    { kind: 'slash', pattern: exitWord, prefix: wordJoiner },
  ],
  switchMode,
  switchModel,
  interrupt: ['Escape'],
  deleteLine: ['C-u', 'BSpace'],
  closeCompletions: ['Escape'],
  quit: '/quit',
  mention: (path) => `@${path.replaceAll(/([\s\\])/g, '\\$1')}`,
  findSessionId,
}

function toArguments(request: TerminalStart, version: string | undefined): string[] {
  const { effort, hooks = {} } = request
  if (effort !== undefined)
    throw createUnsupportedError(title, 'the option effort', 'Choose another model instead.')
  if (Object.keys(hooks).length > 0)
    throw createUnsupportedError(title, 'hooks for one run', 'Install them with `remora hooks install qwen`.')
  if (request.fork && request.sessionId !== undefined)
    throw createUnsupportedError(title, 'the option sessionId with fork', 'Leave it out; the CLI chooses it.')
  const args = toSharedArguments(request, version)
  if (request.fork) args.push('--fork-session')
  if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
  args.push(...(request.extraArgs ?? []))
  // One argument, because a prompt may begin with a dash.
  if (request.prompt !== undefined) args.push(`--prompt-interactive=${request.prompt}`)
  return args
}

/** `--resume` may name a session by its title. A fork continues in another session, whose id is not in the command line. */
function findSessionId(args: readonly string[]): string | undefined {
  if (args.includes('--fork-session')) return undefined
  for (const [index, arg] of args.entries()) {
    const [name = '', value = args[index + 1]] = arg.split('=', 2)
    if (['--session-id', '--resume', '-r'].includes(name) && /^[\da-f-]{36}$/i.test(value ?? '')) return value
  }
  return undefined
}

/** How long the answer to a command may take, in reads of the screen. */
const mostReads = 20

/** Shift+Tab goes through the modes in this order, and begins again. */
const cycle = ['plan', 'default', 'auto-edit', 'auto', 'yolo']

/**
 * Presses Shift+Tab if no mode on the way allows more than the wanted one, since the agent may be working. Otherwise it
 * sends a command, which the CLI takes when it is idle.
 *
 * @example switchMode('plan', screen, 0) // { submit: '/approval-mode plan' }
 */
function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const { mode, state } = readScreen(screen)
  const to = modes.find((each) => getModeName(modes, each) === wanted)
  const from = modes.find((each) => getModeName(modes, each) === mode)
  if (!to) return undefined
  if (state === 'asking' || !from) return step < mostReads ? { wait: true } : undefined
  if (to === from) return { done: true }
  // In an untrusted folder the mode stays as it is.
  if (step >= cycle.length) return undefined
  if (cycle.indexOf(to.id) > cycle.indexOf(from.id) || from.id === 'yolo') return { keys: ['BTab'] }
  if (state === 'working') return { wait: true }
  return { submit: `/approval-mode ${to.id}` }
}

/** Sends `/model`, which the CLI takes when it is idle, and refuses for models that are not configured. */
function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const { state, model } = readScreen(screen)
  if (model === wanted) return { done: true }
  if (state !== 'idle' && state !== 'error') return step < mostReads ? { wait: true } : undefined
  const shown = screen.lines.findLastIndex((line) => line.trim() === `> /model ${wanted}`)
  if (step === 0) return { submit: `/model ${wanted}` }
  const answer = screen.lines.slice(shown + 1).find((line) => line.trim() !== '') ?? ''
  if (shown === -1 || !/^ {2}[●✕]/.test(answer)) return { wait: true }
  return /^ {2}●\uFE0E? Model: /.test(answer) ? { done: true } : undefined
}

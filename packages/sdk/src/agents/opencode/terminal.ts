import type { Invocation, TerminalPart, TerminalStart } from '../../contract/agent.ts'
import { exitWord, leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/unsupported.ts'
import { modeVariables, sharedArguments } from './arguments.ts'
import { guardPlan } from './run-variables.ts'
import { readScreen } from './terminal-screen.ts'
import { switchMode, switchModel } from './terminal-switch.ts'

export const terminal: TerminalPart = {
  // Tab switches between the agents build and plan.
  modeSwitch: 'toggle',
  choosesSession: () => false,
  invocation,
  guardPlan,
  read: readScreen,
  // A slash counts only as the first character, and only a typed exclamation mark opens its shell mode. The words that
  // close it are compared trimmed.
  escapes: [
    { kind: 'slash', pattern: leadingSlash, prefix: ' ' },
    { kind: 'shell', pattern: leadingBang, prefix: ' ' },
    { kind: 'slash', pattern: exitWord, prefix: wordJoiner },
  ],
  switchMode,
  switchModel,
  // It wants to hear it twice. Between the two there must be a moment, or they are one key to it.
  interrupt: ['Escape', 'Escape'],
  quit: '/exit',
  // Its screen asks its server, a thread, for everything, and what it asks before that one listens is lost without a word:
  // most often on a busy machine. It then shows nothing, and waits for ever.
  hangsAfterMs: 20_000,
  mention: (path) => `@${path}`,
  sessionIn,
}

function invocation(request: TerminalStart): Invocation {
  if (request.sessionId !== undefined) {
    const hint = 'Leave it out: OpenCode chooses the id, and its database tells it.'
    throw createUnsupportedError('OpenCode', 'the option sessionId', hint)
  }
  if (request.effort !== undefined) {
    const hint = 'On its terminal it is chosen with ctrl+t, where the model has any.'
    throw createUnsupportedError('OpenCode', 'the option effort on a terminal', hint)
  }
  const args = sharedArguments(request)
  if (request.fork) args.push('--fork')
  // As one word, so that no prompt is taken for an option. It is sent at once.
  if (request.prompt !== undefined) args.push(`--prompt=${request.prompt}`)
  args.push(...(request.extraArgs ?? []))
  return { args, ...modeVariables(request.mode) }
}

/** Whoever forks a session goes on in another, whose id the command line does not tell. */
function sessionIn(args: readonly string[]): string | undefined {
  if (args.includes('--fork')) return undefined
  for (const [index, word] of args.entries()) {
    if (word === '-s' || word === '--session') return args[index + 1]
    const [, id] = /^(?:-s|--session)=(.+)$/.exec(word) ?? []
    if (id !== undefined) return id
  }
  return undefined
}

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
  // A slash counts only as the first character, and only a typed exclamation mark opens the shell mode. Exit commands
  // are compared trimmed.
  escapes: [
    { kind: 'slash', pattern: leadingSlash, prefix: ' ' },
    { kind: 'shell', pattern: leadingBang, prefix: ' ' },
    { kind: 'slash', pattern: exitWord, prefix: wordJoiner },
  ],
  switchMode,
  switchModel,
  // The key has to be pressed twice, with a pause, or both count as one.
  interrupt: ['Escape', 'Escape'],
  quit: '/exit',
  // The screen loads everything from the server, which is a thread. Requests before that thread listens are lost, most
  // often on a busy machine, and the screen then stays empty.
  hangsAfterMs: 20_000,
  mention: (path) => `@${path}`,
  findSessionId,
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
  // One argument, so that a prompt is not parsed as an option. It is sent at once.
  if (request.prompt !== undefined) args.push(`--prompt=${request.prompt}`)
  args.push(...(request.extraArgs ?? []))
  return { args, ...modeVariables(request.mode) }
}

/** A fork continues in another session, whose id is not in the command line. */
function findSessionId(args: readonly string[]): string | undefined {
  if (args.includes('--fork')) return undefined
  for (const [index, word] of args.entries()) {
    if (word === '-s' || word === '--session') return args[index + 1]
    const [, id] = /^(?:-s|--session)=(.+)$/.exec(word) ?? []
    if (id !== undefined) return id
  }
  return undefined
}

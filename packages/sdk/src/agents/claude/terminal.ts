import type { TerminalPart } from '../../agent.ts'
import { sharedArguments } from './arguments.ts'

export const terminal: TerminalPart = {
  // Shift+Tab: default, accept edits, plan, auto, default.
  modeSwitch: 'cycle',
  invocation: (request) => ({ args: sharedArguments(request) }),
}

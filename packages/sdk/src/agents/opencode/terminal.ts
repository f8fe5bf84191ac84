import type { TerminalPart } from '../../agent.ts'
import { modeVariables, sharedArguments } from './arguments.ts'

export const terminal: TerminalPart = {
  // Tab switches between the agents build and plan.
  modeSwitch: 'toggle',
  invocation: (request) => ({ args: sharedArguments(request), ...modeVariables(request.mode) }),
}

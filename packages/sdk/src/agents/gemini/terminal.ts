import type { TerminalPart } from '../../agent.ts'
import { env, sharedArguments } from './arguments.ts'

export const terminal: TerminalPart = {
  // Shift+Tab goes through default, acceptEdits and plan; Ctrl+Y alone reaches bypassPermissions.
  modeSwitch: 'cycle',
  invocation: (request, version) => ({ args: sharedArguments(request, version), env }),
}

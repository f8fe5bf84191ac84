import type { HeadlessPart } from '../../agent.ts'
import { unsupported } from '../../unsupported.ts'
import { modeVariables, sharedArguments } from './arguments.ts'

/** The prompt goes through stdin: as an argument with spaces it reaches the model in quotation marks. */
export const headless: HeadlessPart = {
  invocation(request) {
    if (request.sessionId !== undefined) {
      throw unsupported(
        'OpenCode',
        'the option sessionId',
        'Leave it out: OpenCode names the session in its output.',
      )
    }
    const args = ['run', '--format', 'json', ...sharedArguments(request), ...(request.extraArgs ?? [])]
    return { args, stdin: request.prompt, ...modeVariables(request.mode) }
  },
}

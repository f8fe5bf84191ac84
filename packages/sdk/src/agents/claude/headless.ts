import type { HeadlessPart } from '../../agent.ts'
import { sharedArguments } from './arguments.ts'

/**
 * One prompt, answered as stream-json. `skipTrust` needs nothing: `-p` shows no trust dialog. As root the CLI
 * refuses bypassPermissions unless IS_SANDBOX=1 says that it is contained; that is for the caller to say.
 */
export const headless: HeadlessPart = {
  invocation(request) {
    // stream-json is refused without --verbose.
    const args = ['-p', '--output-format', 'stream-json', '--verbose', ...sharedArguments(request)]
    if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
    return { args: [...args, ...(request.extraArgs ?? [])], stdin: request.prompt }
  },
}

import type { HeadlessPart } from '../../agent.ts'
import { need } from '../../unsupported.ts'
import { streamReader } from './stream.ts'
import { env, sharedArguments, title } from './arguments.ts'
import { since } from './versions.ts'

/** One prompt, answered as stream-json. The prompt goes through stdin, since one argument holds 128 KiB at most. */
export const headless: HeadlessPart = {
  keyVariable: 'GEMINI_API_KEY',
  reader: streamReader,
  invocation(request, version) {
    need(title, 'headless', version, since.streamJson)
    const args = ['--output-format', 'stream-json', ...sharedArguments(request, version)]
    if (request.sessionId !== undefined) {
      need(title, 'sessionId', version, since.sessionId)
      args.push('--session-id', request.sessionId)
    }
    if (request.skipTrust) {
      need(title, 'skipTrust', version, since.skipTrust)
      args.push('--skip-trust')
    }
    return { args: [...args, ...(request.extraArgs ?? [])], env, stdin: request.prompt }
  },
}

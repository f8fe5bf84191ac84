import type { HeadlessPart } from '../../contract/agent.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { shellStatuses } from './acp-outputs.ts'
import { env } from './arguments.ts'
import { headlessArguments } from './headless-arguments.ts'
import { prepare } from './prepare.ts'
import { streamReader } from './stream.ts'

/** One prompt, answered as stream-json. The prompt goes through stdin, since one argument holds 128 KiB at most. */
export const headless: HeadlessPart = {
  keyVariable: 'GEMINI_API_KEY',
  reader: streamReader,
  // It looks at the first character, and trims later.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  prepare,
  shellStatuses,
  invocation(request, version) {
    return { args: headlessArguments(request, version), env, stdin: request.prompt }
  },
}

import type { HeadlessPart } from '../../contract/agent.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { shellStatuses } from './acp-outputs.ts'
import { env, headlessArguments } from './arguments.ts'
import { prepare } from './prepare.ts'
import { streamReader } from './stream.ts'

/**
 * Runs one prompt with stream-json output. The prompt goes through stdin, because an argument is limited to 128 KiB.
 */
export const headless: HeadlessPart = {
  keyVariable: 'GEMINI_API_KEY',
  reader: streamReader,
  // The CLI checks the first character before it trims.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  prepare,
  shellStatuses,
  invocation(request, version) {
    return { args: headlessArguments(request, version), env, stdin: request.prompt }
  },
}

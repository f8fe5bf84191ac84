import { RemoraError } from '@remora/protocol/plain'
import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { requireVersion, createUnsupportedError, atLeast } from '../../versions/version.ts'
import { shellStatuses } from './acp-outputs.ts'
import { env, sharedArguments, title } from './arguments.ts'
import { prepare } from './prepare.ts'
import { streamReader } from './stream.ts'
import { since } from './versions.ts'

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

/** The CLI closes standard input after this many bytes. */
const promptLimit = 8 * 1024 * 1024

/** Builds the arguments of a headless run. Throws if the version does not support an option. */
export function headlessArguments(request: HeadlessRequest, version: string | undefined): string[] {
  requireVersion(title, 'headless', version, since.streamJson)
  if (request.effort !== undefined)
    throw createUnsupportedError(
      title,
      'the option effort',
      'Choose another model instead: its name decides how much it thinks.',
    )
  if (Buffer.byteLength(request.prompt) > promptLimit) {
    throw new RemoraError('input', `${title} reads prompts of up to 8 MiB, and this one is longer`, {
      hint: 'Put the text into a file and name it in the prompt.',
    })
  }
  const args = ['--output-format', 'stream-json', ...sharedArguments(request, version)]
  if (request.sessionId !== undefined) {
    requireVersion(title, 'sessionId', version, since.sessionId)
    args.push('--session-id', request.sessionId)
  }
  if (request.skipTrust) {
    requireVersion(title, 'skipTrust', version, since.skipTrust)
    args.push('--skip-trust')
  }
  // Later versions deprecate this flag and get a policy file.
  if (!atLeast(version, since.policy))
    for (const rule of request.allow ?? []) args.push('--allowed-tools', rule)
  return [...args, ...(request.extraArgs ?? [])]
}

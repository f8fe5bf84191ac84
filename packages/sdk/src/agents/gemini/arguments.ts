import { RemoraError } from '@remora/protocol/plain'
import type { Mode, HeadlessRequest } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { requireVersion, createUnsupportedError, atLeast } from '../../versions/version.ts'
import { modes } from './modes.ts'
import { since } from './versions.ts'

export const title = 'Gemini CLI'

// Without this variable the CLI restarts itself in a second process, and the first one ignores every signal. All
// versions from 0.5 on support it.
export const env = { GEMINI_CLI_NO_RELAUNCH: 'true' } as const

/** The arguments that headless runs and terminals share. */
export function sharedArguments(
  request: { mode?: Mode; model?: string; resume?: string },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode !== undefined)
    args.push('--approval-mode', requireMode({ title, modes }, request.mode, version).id)
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume !== undefined) {
    requireVersion(title, 'resume', version, since.resume)
    args.push('--resume', request.resume)
  }
  return args
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

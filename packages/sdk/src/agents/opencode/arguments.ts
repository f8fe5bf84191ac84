import type { Mode } from '../../contract/agent.ts'
import { createUnsupportedError } from '../../versions/version.ts'

/** The arguments that headless runs and terminals share. */
export function sharedArguments(request: { mode?: Mode; model?: string; resume?: string }): string[] {
  if (request.mode === 'auto')
    throw createUnsupportedError('OpenCode', 'the mode auto', 'Choose default or acceptEdits.')
  const args: string[] = []
  if (request.mode === 'plan') args.push('--agent', 'plan')
  if (request.mode === 'bypassPermissions') args.push('--auto')
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume === 'latest') args.push('--continue')
  else if (request.resume !== undefined) args.push('--session', request.resume)
  return args
}

// There is no flag for it. The variable is merged over the permissions of the user's configuration.
export function modeVariables(mode: Mode | undefined): { env?: Readonly<Record<string, string>> } {
  return mode === 'acceptEdits' ? { env: { OPENCODE_PERMISSION: '{"edit":"allow"}' } } : {}
}

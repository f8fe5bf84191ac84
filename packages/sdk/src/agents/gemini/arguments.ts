import type { Mode } from '../../contract/agent.ts'
import { requireVersion, createUnsupportedError } from '../../versions/version.ts'
import { since } from './versions.ts'

export const title = 'Gemini CLI'

// Without this variable the CLI restarts itself in a second process, and the first one ignores every signal. All
// versions from 0.5 on support it.
export const env = { GEMINI_CLI_NO_RELAUNCH: 'true' } as const

const approvalModes: Record<Exclude<Mode, 'auto'>, string> = {
  default: 'default',
  acceptEdits: 'auto_edit',
  plan: 'plan',
  bypassPermissions: 'yolo',
}

/** The arguments that headless runs and terminals share. */
export function sharedArguments(
  request: { mode?: Mode; model?: string; resume?: string },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode !== undefined) {
    if (request.mode === 'auto')
      throw createUnsupportedError(title, 'the mode auto', 'Choose default or acceptEdits.')
    if (request.mode === 'plan') requireVersion(title, 'mode plan', version, since.plan)
    args.push('--approval-mode', approvalModes[request.mode])
  }
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume !== undefined) {
    requireVersion(title, 'resume', version, since.resume)
    args.push('--resume', request.resume)
  }
  return args
}

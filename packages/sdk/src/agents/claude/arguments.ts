import type { Mode } from '../../agent.ts'
import { need } from '../../unsupported.ts'

/**
 * Settings that keep plan mode read-only. By itself Claude Code runs commands unasked in it: what its auto mode would allow,
 * and everything if bypassPermissions could be switched on, which claude-code-acp makes possible for every user but root.
 */
export function getPlanSettings(mode: string | undefined): object {
  return {
    useAutoModeDuringPlan: false,
    ...(mode === 'bypassPermissions' ? {} : { permissions: { disableBypassPermissionsMode: 'disable' } }),
  }
}

/** The oldest version in which `--permission-mode auto` was tested. 2.1.44 does not have it. */
export const sinceAutoMode = '2.1.197'

/** The arguments that headless runs and terminals share. Claude's mode names are ours. */
export function sharedArguments(
  request: { mode?: Mode; model?: string; resume?: string },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode === 'auto') need('Claude Code', 'mode auto', version, sinceAutoMode)
  if (request.mode !== undefined) args.push('--permission-mode', request.mode)
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume === 'latest') args.push('--continue')
  else if (request.resume !== undefined) args.push('--resume', request.resume)
  return args
}

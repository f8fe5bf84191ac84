import type { Mode } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { modes } from './modes.ts'

/**
 * A hook that makes Claude Code ask about commands and MCP tools in plan mode, whatever the user's own rules allow: an
 * `ask` of a hook overrides an `allow` of the settings. Without a user to ask, Claude Code denies. In other modes the hook
 * prints nothing and so decides nothing. The payload is compact JSON, and quotes inside of the model's input are escaped.
 */
const planHook = {
  matcher: 'Bash|PowerShell|Monitor|mcp__.*',
  hooks: [
    {
      type: 'command',
      timeout: 60,
      command: `case "$(cat)" in *'"permission_mode":"plan"'*) echo '${JSON.stringify({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'ask',
          permissionDecisionReason: 'Plan mode is read-only',
        },
      })}';; esac`,
    },
  ],
}

export interface PlanSettings {
  readonly useAutoModeDuringPlan: false
  readonly permissions?: object
  readonly hooks: Readonly<Record<string, readonly object[]>>
}

/**
 * Settings that keep plan mode read-only. Without them Claude Code runs commands in plan mode without asking: those that
 * its auto mode or the user's rules allow, and all of them where bypassPermissions is available, which is the case for
 * every user but root with claude-code-acp.
 */
export function getPlanSettings(mode: string | undefined): PlanSettings {
  return {
    useAutoModeDuringPlan: false,
    hooks: { PreToolUse: [planHook] },
    ...(mode === 'bypassPermissions' ? {} : { permissions: { disableBypassPermissionsMode: 'disable' } }),
  }
}

/** The arguments that headless runs and terminals share. */
export function toSharedArguments(
  request: { mode?: Mode; model?: string; resume?: string },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode !== undefined) {
    const { id } = requireMode({ title: 'Claude Code', modes }, request.mode, version)
    args.push('--permission-mode', id)
  }
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume === 'latest') args.push('--continue')
  else if (request.resume !== undefined) args.push('--resume', request.resume)
  return args
}

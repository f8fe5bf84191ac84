import { findMode, getModeName } from '@remora/protocol/plain'
import type { AgentMode } from '../../contract/agent.ts'

/** A mode and how the screen shows it. The ids are the values of `--permission-mode`. */
export interface ClaudeMode extends AgentMode {
  readonly screen?: RegExp
}

/** The oldest version in which `--permission-mode auto` was tested. 2.1.44 does not have it. */
export const sinceAutoMode = '2.1.197'

export const modes: readonly ClaudeMode[] = [
  // Older versions show no mode, and newer ones show "manual mode on".
  { id: 'default', label: 'Manual', like: 'ask', aliases: ['manual'] },
  { id: 'acceptEdits', label: 'Accept edits', like: 'acceptEdits', screen: /accept edits on/ },
  { id: 'plan', label: 'Plan', like: 'plan', screen: /plan mode on/ },
  { id: 'auto', label: 'Auto', like: 'auto', since: sinceAutoMode, screen: /auto mode on/ },
  // Denies what no rule allows. It is not in the Shift+Tab cycle.
  { id: 'dontAsk', label: 'Don’t ask', like: 'ask', asks: false, screen: /don't ask on/ },
  { id: 'bypassPermissions', label: 'Bypass permissions', like: 'bypass', screen: /bypass permissions on/ },
]

/** Our name of a mode that Claude Code reports. @example toName('manual') // 'default' */
export function toName(id: string | undefined): string | undefined {
  const mode = findMode(modes, id)
  return mode ? getModeName(modes, mode) : id
}

import { type LiveInfo, type PromptKind, RemoraError, isSelfApproving } from '@remora/protocol'
import { findModeInfo } from './live-record.ts'

/**
 * Throws where another agent may not prompt a session: with anything but text, and where the session runs tools without
 * asking a person, unless the user allows that.
 */
export function checkMcpPrompt(live: LiveInfo, kind: PromptKind = 'text', unattended = false): void {
  if (kind !== 'text')
    throw new RemoraError('permission', 'An agent can send text only, no shell or slash commands')
  if (unattended || !isUnattended(live)) return
  throw new RemoraError('permission', `${live.id} is in mode ${live.mode}: it runs tools without asking`, {
    hint: 'The user can allow such prompts: remora config mcp.promptUnattended true',
  })
}

/** Whether tools run without a person's decision. @example isUnattended({ agent: 'gemini', mode: 'yolo' }) // true */
export function isUnattended(live: Pick<LiveInfo, 'agent' | 'mode' | 'modes' | 'modeInfo'>): boolean {
  if (live.mode === undefined) return false
  const mode = findModeInfo(live)
  return mode?.asks === false || isSelfApproving(mode ?? live.mode)
}

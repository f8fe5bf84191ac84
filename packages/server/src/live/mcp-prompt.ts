import { type LiveInfo, type PromptKind, RemoraError } from '@remora/protocol'
import { isSelfApproving } from '@remora/sdk'

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

/** Whether tools run without a person's decision. @example isUnattended({ mode: 'auto' }) // true */
export function isUnattended({ mode }: Pick<LiveInfo, 'mode'>): boolean {
  // In `dontAsk` the user's rules decide alone.
  return mode !== undefined && (mode === 'dontAsk' || isSelfApproving(mode))
}

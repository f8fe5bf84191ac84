import { type LiveInfo, type PromptKind, RemoraError } from '@remora/protocol'
import { findAgent } from '@remora/sdk'

/** Modes in which no person decides, by our names and those that agents use. */
const unattendedModes: ReadonlySet<string> = new Set([
  'bypassPermissions',
  'bypass',
  'auto',
  'dontAsk',
  // "Auto review" of codex-acp 2.
  'agent',
  'yolo',
])

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

/** @example isUnattended({ agent: 'claude', channel: 'terminal', mode: 'bypassPermissions' }) // true */
export function isUnattended({
  agent,
  channel,
  mode,
}: Pick<LiveInfo, 'agent' | 'channel' | 'mode'>): boolean {
  if (mode === undefined) return false
  const acp = channel === 'acp' ? findAgent(agent)?.acp : undefined
  // Each wrapper of an agent has its own ids.
  const modes = [acp?.modes, ...(acp?.wrappers ?? []).map(({ part }) => part?.modes)]
  // An agent may use the same word for a mode in which it asks.
  if (modes.some((ids) => ids?.default === mode)) return false
  return unattendedModes.has(mode) || modes.some((ids) => ids?.bypassPermissions === mode)
}

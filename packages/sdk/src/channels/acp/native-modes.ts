import { type Mode, type NativeModes, modes } from '../../contract/agent.ts'
import { isSelfApproving, toMode } from '../../contract/modes.ts'

/** Ids that agents use for our modes, for agents known only by their command. */
export const commonModes: NativeModes = {
  default: ['default', 'ask', 'manual', 'normal', 'build', 'code'],
  acceptEdits: ['acceptEdits', 'autoEdit', 'auto-edit', 'auto_edit', 'accept-edits'],
  plan: ['plan', 'read-only'],
  auto: 'auto',
  bypassPermissions: ['bypassPermissions', 'yolo', 'full-access', 'bypass'],
}

/**
 * Gets the agent's id of a mode: the first that it offers, or an id of the agent unchanged.
 *
 * @example toNativeMode({ default: ['workspace-write', 'auto'] }, 'ask', ['read-only', 'auto']) // 'auto'
 */
export function toNativeMode(table: NativeModes, word: string, offered: readonly string[]): string {
  // A name that the agent itself offers means that mode, unless it is one of ours.
  const mode = modes.find((each) => each === word) ?? (offered.includes(word) ? undefined : toMode(word))
  if (mode === undefined) return word
  const ids = listIds(table, mode)
  return ids.find((id) => offered.includes(id)) ?? ids[0] ?? mode
}

/**
 * Gets our mode for an agent's id, or the id itself.
 *
 * @example fromNativeMode({ acceptEdits: 'autoEdit' }, 'autoEdit')
 */
export function fromNativeMode(table: NativeModes, id: string): string {
  return modes.find((mode) => listIds(table, mode).includes(id)) ?? id
}

/** Whether the agent runs tools without asking in the mode with this id. */
export function isNativeSelfApproving(table: NativeModes, id: string): boolean {
  return isSelfApproving(fromNativeMode(table, id))
}

function listIds(table: NativeModes, mode: Mode): readonly string[] {
  const ids = table[mode] ?? []
  return typeof ids === 'string' ? [ids] : ids
}

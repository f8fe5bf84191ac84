import { type LiveInfo, type ModeInfo, findMode, isSelfApproving } from '@remora/protocol/plain'
import { useAgentStore } from '../state/agents.ts'
import { words } from '../words/index.ts'

/** A session and its mode, as the server describes them. */
export type ModeOwner = Pick<LiveInfo, 'agent' | 'mode' | 'modeInfo' | 'modes'>

/** The modes to which a session can be switched: those that it lists itself, or those of its agent. */
export function useModes({
  agent,
  modes,
}: Pick<ModeOwner, 'agent' | 'modes'>): readonly ModeInfo[] | undefined {
  const known = useAgentStore(({ agents }) => agents?.find(({ id }) => id === agent)?.permissionModes)
  return modes ?? known
}

/** The label of a mode, and whether tools run without approval in it. A mode without a label keeps its own name. */
export function describeMode(
  { mode, modeInfo }: ModeOwner,
  modes: readonly ModeInfo[] = [],
): { readonly label: string; readonly isSelfApproving: boolean } {
  if (mode === undefined) return { label: words.status.noMode, isSelfApproving: false }
  const found = modeInfo ?? findMode(modes, mode)
  return { label: found?.label ?? mode, isSelfApproving: isSelfApproving(found ?? mode) }
}

/** What a mode allows, for people. */
export function getModeHint({ like, asks }: ModeInfo): string | undefined {
  if (asks === false) return words.status.modeRulesOnly
  return like && words.status.modeHints[like]
}

/** The label of a session's mode, marked if tools run without approval. */
export function ModeName({ live }: { readonly live: ModeOwner }) {
  const mode = describeMode(live, useModes(live))
  return <span className={mode.isSelfApproving ? 'text-warn' : ''}>{mode.label}</span>
}

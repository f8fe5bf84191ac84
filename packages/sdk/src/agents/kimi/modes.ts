import type { AgentMode, Mode, Place, StartMode } from '../../contract/agent.ts'
import { getModeName } from '@remora/protocol/plain'
import { readConfig } from './home.ts'

/** A mode, and its id in the configuration and in transcripts. */
export interface KimiMode extends AgentMode {
  readonly native?: string
}

/**
 * Not under Kimi's ids where those have another meaning: its `auto` runs everything and never asks. `acceptEdits` is
 * Remora's own and restricts the tools of a headless run.
 */
export const modes: readonly KimiMode[] = [
  { id: 'default', label: 'Always ask', like: 'ask', native: 'manual' },
  { id: 'acceptEdits', label: 'Edit files, no commands', like: 'acceptEdits', acp: [] },
  { id: 'plan', label: 'Plan', like: 'plan' },
  { id: 'never-ask', label: 'Never ask', like: 'bypass', acp: 'auto', native: 'auto' },
  { id: 'yolo', label: 'Ask when needed', like: 'bypass', native: 'yolo' },
]

/** Our name of one of Kimi's permission modes. @example toModeName('manual') // 'default' */
export function toModeName(native: unknown): string | undefined {
  const mode = modes.find((each) => each.native !== undefined && each.native === native)
  return mode && getModeName(modes, mode)
}

/** The asking mode, unless the user's configuration sets another. It is always requested. */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  if (wanted !== undefined) return { mode: wanted, request: wanted }
  const config = await readConfig(place)
  const configured = toModeName(config.get('default_permission_mode'))
  const mode = config.get('default_plan_mode') === true ? 'plan' : (configured ?? 'default')
  return { mode, request: mode }
}

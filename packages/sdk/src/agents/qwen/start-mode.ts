import { findMode, getModeName, isSelfApproving } from '@remora/protocol/plain'
import type { AgentMode, Mode, Place, StartMode } from '../../contract/agent.ts'
import { readSettings } from './home.ts'
import { modes } from './modes.ts'

/**
 * The asking mode, unless `tools.approvalMode` sets another. It is always requested by a flag, because Qwen Code itself
 * starts in auto mode. A project's settings cannot turn on a mode that approves by itself.
 */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  const mode = wanted ?? (await readConfiguredMode(place)) ?? 'default'
  return { mode, request: mode }
}

async function readConfiguredMode(place: Place): Promise<string | undefined> {
  const [own, ...projects] = (await readSettings(place)).map((settings) =>
    findConfigured(settings.get('tools', 'approvalMode')),
  )
  const mode = projects.find((each) => each !== undefined && !isSelfApproving(each)) ?? own
  return mode && getModeName(modes, mode)
}

function findConfigured(value: unknown): AgentMode | undefined {
  return modes.find(({ id }) => id === value)
}

/** Our name of a mode that Qwen Code reports. @example toName('auto-edit') // 'acceptEdits' */
export function toName(id: unknown): string | undefined {
  const mode = typeof id === 'string' ? findMode(modes, id) : undefined
  return mode && getModeName(modes, mode)
}

import { join } from 'node:path'
import type { AgentMode, Mode, Place, StartMode } from '../../contract/agent.ts'
import { findMode, getModeName, isSelfApproving } from '@remora/protocol/plain'
import { readSettings } from './hook-obstacles.ts'
import { getClaudeFolder } from './home.ts'
import { modes } from './modes.ts'

/**
 * The asking mode, unless `permissions.defaultMode` sets another. It is always requested by a flag: since 2.1.283 Claude Code
 * itself starts in auto mode. As in Claude Code, a project's settings cannot turn on a mode that approves by itself.
 */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  const mode = wanted ?? (await readDefaultMode(place)) ?? 'default'
  return { mode, request: mode }
}

async function readDefaultMode(place: Place): Promise<string | undefined> {
  const own = join(getClaudeFolder(place), 'settings.json')
  const found = (await readSettings(place)).map((settings) => {
    const mode = findAnyCase(settings.get('permissions', 'defaultMode'))
    return mode !== undefined && settings.file !== own && isSelfApproving(mode) ? undefined : mode
  })
  const mode = found.findLast((each) => each !== undefined)
  return mode && getModeName(modes, mode)
}

/** Claude Code accepts its mode names in any case. */
function findAnyCase(value: unknown): AgentMode | undefined {
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  const names = ({ id, aliases = [] }: AgentMode) => [id, ...aliases].map((name) => name.toLowerCase())
  return modes.find((mode) => names(mode).includes(word)) ?? findMode(modes, word)
}

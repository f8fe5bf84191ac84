import { join } from 'node:path'
import type { Mode, Place, StartMode } from '../../contract/agent.ts'
import { isSelfApproving, toMode } from '../../contract/modes.ts'
import { readSettings } from './hook-obstacles.ts'
import { getClaudeFolder } from './home.ts'

/**
 * The asking mode, unless `permissions.defaultMode` sets another. It is always requested by a flag: since 2.1.283 Claude Code
 * itself starts in auto mode. As in Claude Code, a project's settings cannot turn on a mode that approves by itself.
 */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  const mode = wanted ?? (await readDefaultMode(place)) ?? 'default'
  const request = toMode(mode)
  // Remora has no mode `dontAsk`; Claude Code reads it from its settings itself.
  return { mode, ...(request === undefined ? {} : { request }) }
}

async function readDefaultMode(place: Place): Promise<string | undefined> {
  const own = join(getClaudeFolder(place), 'settings.json')
  const modes = (await readSettings(place)).map((settings) => {
    const mode = normalize(settings.get('permissions', 'defaultMode'))
    return mode !== undefined && settings.file !== own && isSelfApproving(mode) ? undefined : mode
  })
  return modes.findLast((mode) => mode !== undefined)
}

/** Claude's mode names in any spelling; `manual` is the asking mode since 2.1.200. */
const names: Readonly<Record<string, string>> = {
  default: 'default',
  manual: 'default',
  acceptedits: 'acceptEdits',
  plan: 'plan',
  auto: 'auto',
  dontask: 'dontAsk',
  bypasspermissions: 'bypassPermissions',
  bypass: 'bypassPermissions',
}

function normalize(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = value.trim().toLowerCase()
  return Object.hasOwn(names, name) ? names[name] : undefined
}

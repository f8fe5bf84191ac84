import { join } from 'node:path'
import type { Mode, Place, StartMode } from '../../contract/agent.ts'
import { type Settings, readTomlSettings } from '../../dialects/settings.ts'
import { getCodexFolder } from './home.ts'
import { findModeName } from './modes.ts'

/** The mode of the configuration. The asking mode is requested only if the configuration sets another. */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  if (wanted !== undefined && wanted !== 'default') return { mode: wanted, request: wanted }
  const configured = getMode(await readTomlSettings(join(getCodexFolder(place), 'config.toml')))
  if (wanted === undefined) return { mode: configured }
  return { mode: 'default', ...(configured === 'default' ? {} : { request: 'default' as const }) }
}

/** Values of the chosen profile override those of the top level. */
function getMode(config: Settings): Mode {
  const profile = config.get('profile')
  const get = (key: string): unknown =>
    (typeof profile === 'string' ? config.get('profiles', profile, key) : undefined) ?? config.get(key)
  return findModeName({
    sandbox: get('sandbox_mode'),
    reviewer: get('approvals_reviewer'),
    approval: get('approval_policy'),
  })
}

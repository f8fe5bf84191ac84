import { join } from 'node:path'
import type { Mode, Place, StartMode } from '../../contract/agent.ts'
import { type Settings, readTomlSettings } from '../../dialects/settings.ts'
import { codexFolder } from './home.ts'

/** What its configuration says. Its asking mode is requested only where the configuration sets another. */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  if (wanted !== undefined && wanted !== 'default') return { mode: wanted, request: wanted }
  const configured = getMode(await readTomlSettings(join(codexFolder(place), 'config.toml')))
  if (wanted === undefined) return { mode: configured }
  return { mode: 'default', ...(configured === 'default' ? {} : { request: 'default' as const }) }
}

/** By the user's profile, where one is chosen, and else by the top level. */
function getMode(config: Settings): Mode {
  const profile = config.get('profile')
  const get = (key: string): unknown =>
    (typeof profile === 'string' ? config.get('profiles', profile, key) : undefined) ?? config.get(key)
  const sandbox = get('sandbox_mode')
  if (sandbox === 'danger-full-access') return 'bypassPermissions'
  if (sandbox === 'read-only') return 'plan'
  if (get('approvals_reviewer') === 'auto_review') return 'auto'
  // It never asks, but its sandbox allows edits of the workspace only.
  return get('approval_policy') === 'never' ? 'acceptEdits' : 'default'
}

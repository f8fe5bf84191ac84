import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { type Settings, readTomlSettings } from '../../dialects/settings.ts'

/** The folder of settings, credentials and sessions. KIMI_CODE_HOME replaces it. */
export function getKimiFolder({ env, home }: Place): string {
  return env['KIMI_CODE_HOME'] || join(home, '.kimi-code')
}

export function getSessionsFolder(place: Place): string {
  return join(getKimiFolder(place), 'sessions')
}

/** The user's settings. A project cannot set modes, rules or models. */
export function readConfig(place: Place): Promise<Settings> {
  return readTomlSettings(join(getKimiFolder(place), 'config.toml'))
}

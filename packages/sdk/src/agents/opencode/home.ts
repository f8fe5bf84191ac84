import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder of settings and plugins. */
export function configFolder(place: Place): string {
  return join(place.env['XDG_CONFIG_HOME'] || join(place.home, '.config'), 'opencode')
}

/** The folder of sessions and credentials. */
export function dataFolder(place: Place): string {
  return join(place.env['XDG_DATA_HOME'] || join(place.home, '.local', 'share'), 'opencode')
}

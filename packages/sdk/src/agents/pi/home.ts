import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { type Settings, readJsonSettings } from '../../dialects/settings.ts'

/** The folder of settings, credentials and sessions. */
export function getAgentFolder(place: Place): string {
  return getFolder(place, 'PI_CODING_AGENT_DIR') ?? join(place.home, '.pi', 'agent')
}

export function getSessionsFolder(place: Place): string {
  return getFolder(place, 'PI_CODING_AGENT_SESSION_DIR') ?? join(getAgentFolder(place), 'sessions')
}

/** A JSON file of the user, such as `auth`. */
export function readUserFile(place: Place, name: 'auth' | 'models' | 'settings'): Promise<Settings> {
  return readJsonSettings(join(getAgentFolder(place), `${name}.json`))
}

/** pi expands a tilde in its variables. */
function getFolder({ env, home }: Place, name: string): string | undefined {
  return env[name]?.replace(/^~(?=$|[/\\])/, home) || undefined
}

import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder of settings and sessions. COPILOT_HOME replaces it. */
export function getCopilotFolder({ env, home }: Place): string {
  return env['COPILOT_HOME'] || join(home, '.copilot')
}

/** @example getSessionsFolder(place) // '/home/me/.copilot/session-state' */
export function getSessionsFolder(place: Place): string {
  return join(getCopilotFolder(place), 'session-state')
}

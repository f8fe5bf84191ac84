import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder of a user's settings and sessions; CLAUDE_CONFIG_DIR moves it. */
export function claudeFolder(place: Place): string {
  return place.env['CLAUDE_CONFIG_DIR'] || join(place.home, '.claude')
}

/** The file of onboarding, trust and account; it stands beside the folder, or in it where it was moved. */
export function claudeStateFile(place: Place): string {
  return join(place.env['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json')
}

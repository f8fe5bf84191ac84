import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder of a user's settings and sessions; CLAUDE_CONFIG_DIR moves it. */
export function getClaudeFolder(place: Place): string {
  return place.env['CLAUDE_CONFIG_DIR'] || join(place.home, '.claude')
}

/** The file with onboarding, trust and account. It is beside the default folder, but inside CLAUDE_CONFIG_DIR. */
export function getClaudeStateFile(place: Place): string {
  return join(place.env['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json')
}

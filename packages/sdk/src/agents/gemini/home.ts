import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The CLI's folder in the user's home. GEMINI_CLI_HOME moves it. */
export function geminiFolder(place: Place): string {
  return join(place.env['GEMINI_CLI_HOME'] || place.home, '.gemini')
}

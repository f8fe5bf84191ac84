import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder in which the CLI keeps everything of a user; GEMINI_CLI_HOME moves it. */
export function geminiFolder(place: Place): string {
  return join(place.env['GEMINI_CLI_HOME'] || place.home, '.gemini')
}

import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder of a user's settings and sessions; CODEX_HOME moves it. */
export function getCodexFolder(place: Place): string {
  return place.env['CODEX_HOME'] || join(place.home, '.codex')
}

import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'

/** The folder in which Codex keeps everything of a user; CODEX_HOME moves it. */
export function codexFolder(place: Place): string {
  return place.env['CODEX_HOME'] || join(place.home, '.codex')
}

import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { type Settings, readJsonSettings } from '../../dialects/settings.ts'

/** The folder of settings and sessions. QWEN_HOME replaces it. */
export function getQwenFolder({ env, home }: Place): string {
  return env['QWEN_HOME'] || join(home, '.qwen')
}

/** The settings of the user and of the project, which override them. */
export async function readSettings(place: Place): Promise<readonly [user: Settings, ...project: Settings[]]> {
  const user = await readJsonSettings(join(getQwenFolder(place), 'settings.json'))
  const project = await readJsonSettings(join(place.cwd, '.qwen', 'settings.json'))
  // Both are the same file if the working directory is the home folder.
  return user.file === project.file ? [user] : [user, project]
}

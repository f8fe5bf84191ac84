import { join } from 'node:path'
import type { Place, Problem } from '../../agent.ts'
import { atLeast } from '../../version.ts'
import { readJsonSettings } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { credentialProblems } from './credentials.ts'
import { geminiFolder } from './home.ts'
import { trustProblems } from './trust.ts'
import { since } from './versions.ts'

/** What would stop a user of Gemini CLI in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const user = await readJsonSettings(join(geminiFolder(place), 'settings.json'))
  const project = await readJsonSettings(join(place.cwd, '.gemini', 'settings.json'))
  // The home itself as working directory makes both one file.
  const files = user.file === project.file ? [user] : [user, project]
  return [
    ...files.flatMap((settings) => settings.problems),
    ...(await credentialProblems(place, user)),
    ...(await trustProblems(place, user)),
    ...hooksProblems(place, files),
    ...retentionProblems(place, user),
  ]
}

function hooksProblems(place: Place, files: readonly Settings[]): Problem[] {
  if (!atLeast(place.version, since.hooks)) {
    return [
      {
        code: 'hooks_off',
        message: `Gemini CLI ${place.version} runs hooks only with a switch of its own`,
        hint: `Update Gemini CLI to ${since.hooks} or later to use hooks.`,
      },
    ]
  }
  return files
    .filter((settings) => settings.get('hooksConfig', 'enabled') === false)
    .map((settings) => ({
      code: 'hooks_off',
      message: `Gemini CLI runs no hooks: hooksConfig.enabled is false in ${settings.file}`,
      hint: 'Set "hooksConfig": {"enabled": true} in that file to use hooks.',
    }))
}

function retentionProblems(place: Place, user: Settings): Problem[] {
  const affected = atLeast(place.version, since.jsonlSessions)
  if (!affected || user.get('general', 'sessionRetention', 'enabled') === false) return []
  return [
    {
      code: 'session_retention',
      message:
        "Gemini CLI's session retention is on and deletes sessions that were resumed, at the next start in their project",
      hint: `Run remora guard, which sets "general": {"sessionRetention": {"enabled": false}} in ${user.file}.`,
    },
  ]
}

import type { Place, Problem } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import type { Settings } from '../../dialects/settings.ts'
import { credentialProblems } from './credentials.ts'
import { settingsFiles, switchProblems } from './hook-obstacles.ts'
import { trustProblems } from './trust.ts'
import { since } from './versions.ts'

/** Checks for problems that would stop a user of Gemini CLI in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const files = await settingsFiles(place)
  const [user] = files
  return [
    ...files.flatMap((settings) => settings.problems),
    ...(await credentialProblems(place, user)),
    ...(await trustProblems(place, user)),
    ...(await switchProblems(place, files)),
    ...retentionProblems(place, user),
  ]
}

function retentionProblems(place: Place, user: Settings): Problem[] {
  const affected = atLeast(place.version, since.jsonlSessions)
  if (!affected || user.get('general', 'sessionRetention', 'enabled') === false) return []
  return [
    {
      code: 'session_retention',
      message:
        "Gemini CLI's session retention is on and deletes sessions that were resumed, at the next start in their project",
      hint: `Run remora agents guard, which sets "general": {"sessionRetention": {"enabled": false}} in ${user.file}.`,
    },
  ]
}

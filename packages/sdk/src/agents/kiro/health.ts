import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { exists } from '../../files/paths.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { hooks } from './hooks.ts'

/** Checks for problems that would stop a user of Kiro. Based on its documentation, not on a real CLI. */
export async function health(place: Place): Promise<Problem[]> {
  const agents = await hooks.targets(place, 'user')
  const settings = await Promise.all(agents.map(({ file }) => readJsonSettings(file)))
  return [...settings.flatMap(({ problems }) => problems), ...(await credentialProblems(place))]
}

async function credentialProblems(place: Place): Promise<Problem[]> {
  if (place.env['KIRO_API_KEY']) return []
  const data = place.env['XDG_DATA_HOME'] || join(place.home, '.local', 'share')
  // The login is a row in this database, which the first start creates.
  for (const folder of [data, join(place.home, 'Library', 'Application Support')]) {
    if (await exists(join(folder, 'kiro-cli', 'data.sqlite3'))) return []
  }
  return [
    {
      code: 'no_credentials',
      message: 'Kiro CLI has no credentials: it was never started here and KIRO_API_KEY is not set',
      hint: 'Run: kiro-cli login',
    },
  ]
}

import type { Place, Problem } from '../../contract/agent.ts'
import { isObject } from '../../dialects/settings.ts'
import { readConfig } from './home.ts'

/** Checks for problems that would stop a user of Kimi Code. */
export async function health(place: Place): Promise<Problem[]> {
  const config = await readConfig(place)
  const providers = config.get('providers')
  // Signing in adds a provider too.
  if (isObject(providers) && Object.keys(providers).length > 0) return [...config.problems]
  if (place.env['KIMI_MODEL_API_KEY']) return [...config.problems]
  return [
    ...config.problems,
    {
      code: 'no_credentials',
      message: 'Kimi Code has no credentials: no login and no provider were found',
      hint: 'Start kimi and run /login, or add a provider to ~/.kimi-code/config.toml.',
    },
  ]
}

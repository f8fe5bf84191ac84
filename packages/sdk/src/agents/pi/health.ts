import type { Place, Problem } from '../../contract/agent.ts'
import { isObject } from '../../dialects/settings.ts'
import { readUserFile } from './home.ts'

/** What the variables of API keys end with. pi supports many providers, each with its own. */
const keyVariable =
  /_API_KEY$|^ANTHROPIC_OAUTH_TOKEN$|^COPILOT_GITHUB_TOKEN$|^AWS_(?:PROFILE|ACCESS_KEY_ID|BEARER_TOKEN_BEDROCK)$|^GOOGLE_APPLICATION_CREDENTIALS$/

/** Checks for problems that would stop a user of pi in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const [auth, models, settings] = await Promise.all(
    (['auth', 'models', 'settings'] as const).map((name) => readUserFile(place, name)),
  )
  const problems = [auth!, models!, settings!].flatMap((file) => file.problems)
  const accounts = auth!.get()
  if (isObject(accounts) && Object.keys(accounts).length > 0) return problems
  if (isObject(models!.get('providers'))) return problems
  if (Object.entries(place.env).some(([name, value]) => value && keyVariable.test(name))) return problems
  return [
    ...problems,
    {
      code: 'no_credentials',
      message: 'pi has no credentials: no login, no API key and no provider were found',
      hint: 'Start pi and run /login, or set the API key of a provider, such as ANTHROPIC_API_KEY.',
    },
  ]
}

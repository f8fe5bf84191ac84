import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { isObject, readJsonSettings } from '../../dialects/settings.ts'
import type { Settings } from '../../dialects/settings.ts'
import { configFolder, dataFolder } from './home.ts'
import { pureProblems } from './hook-obstacles.ts'

// The most common providers. OpenCode supports many more, which its configuration names.
const keyVariables = [
  'OPENCODE_API_KEY',
  'OPENCODE_AUTH_CONTENT',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'GITHUB_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AZURE_API_KEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
]

/** Checks for problems that would stop a user of OpenCode in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const auth = await readJsonSettings(join(dataFolder(place), 'auth.json'))
  const configs = await Promise.all(
    [
      join(configFolder(place), 'opencode.json'),
      join(configFolder(place), 'opencode.jsonc'),
      join(place.cwd, 'opencode.json'),
      join(place.cwd, 'opencode.jsonc'),
      ...(place.env['OPENCODE_CONFIG'] ? [place.env['OPENCODE_CONFIG']] : []),
    ].map((file) => readJsonSettings(file)),
  )
  return [
    ...[auth, ...configs].flatMap((file) => file.problems),
    ...credentialProblems(place, auth, configs),
    ...pureProblems(place),
  ]
}

function credentialProblems(place: Place, auth: Settings, configs: readonly Settings[]): Problem[] {
  const accounts = auth.get()
  if (isObject(accounts) && Object.keys(accounts).length > 0) return []
  if (keyVariables.some((name) => place.env[name])) return []
  if (configs.some((config) => isObject(config.get('provider')))) return []
  return [
    {
      code: 'no_credentials',
      message: 'OpenCode has no credentials: no login, no key of a known provider and no provider were found',
      hint: 'Run: opencode auth login (without it only free models are offered)',
    },
  ]
}

import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import type { Settings } from '../../dialects/settings.ts'
import { exists } from '../../files/paths.ts'
import { getQwenFolder, readSettings } from './home.ts'

const keyVariables = [
  'OPENAI_API_KEY',
  'DASHSCOPE_API_KEY',
  'BAILIAN_CODING_PLAN_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
]

/** Checks for problems that would stop a user of Qwen Code in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const settings = await readSettings(place)
  return [
    ...settings.flatMap((file) => file.problems),
    ...(await findCredentialProblems(place, settings)),
    ...findDisabledHooks(settings),
  ]
}

async function findCredentialProblems(place: Place, settings: readonly Settings[]): Promise<Problem[]> {
  const isSet = (name: string) => place.env[name] || settings.some((file) => file.get('env', name))
  const keys = [['security', 'auth', 'apiKey'], ['modelProviders']] as const
  if (keyVariables.some(isSet)) return []
  if (settings.some((file) => keys.some((path) => file.get(...path) !== undefined))) return []
  if (await exists(join(getQwenFolder(place), 'oauth_creds.json'))) return []
  return [
    {
      code: 'no_credentials',
      message: 'Qwen Code has no credentials: no API key, no provider and no login were found',
      hint: 'Start qwen and sign in, or set OPENAI_API_KEY and OPENAI_BASE_URL.',
    },
  ]
}

/** Finds what keeps the CLI from running installed hooks. */
export async function findHookObstacles(place: Place): Promise<Problem[]> {
  const settings = await readSettings(place)
  return [...settings.flatMap((file) => file.problems), ...findDisabledHooks(settings)]
}

function findDisabledHooks(settings: readonly Settings[]): Problem[] {
  const deciding = settings.findLast((file) => file.get('disableAllHooks') !== undefined)
  if (deciding?.get('disableAllHooks') !== true) return []
  return [
    {
      code: 'hooks_off',
      message: `Qwen Code runs no hooks: disableAllHooks is set in ${deciding.file}`,
      hint: 'Remove "disableAllHooks" from that file to use hooks.',
    },
  ]
}

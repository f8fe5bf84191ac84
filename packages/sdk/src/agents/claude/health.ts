import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { listAncestors, exists, resolveLinks } from '../../files/paths.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import type { Settings } from '../../dialects/settings.ts'
import { getClaudeFolder, getClaudeStateFile } from './home.ts'
import { readSettings, findDisabledHooks } from './hook-obstacles.ts'

const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']
const cloudVariables = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY']

/** Problems that keep Claude Code from working in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const state = await readJsonSettings(getClaudeStateFile(place))
  const settings = await readSettings(place)
  return [
    ...[state, ...settings].flatMap((file) => file.problems),
    ...(await credentialProblems(place, state, settings)),
    ...(await trustProblems(place, state)),
    ...(await findDisabledHooks(place, settings)),
  ]
}

async function credentialProblems(
  place: Place,
  state: Settings,
  settings: readonly Settings[],
): Promise<Problem[]> {
  const named = [...keyVariables, ...cloudVariables].some(
    (name) => place.env[name] || settings.some((file) => file.get('env', name)),
  )
  if (named || settings.some((file) => file.get('apiKeyHelper'))) return []
  // On macOS the secret is in the keychain; the state file shows that an account exists.
  if (state.get('oauthAccount') || state.get('primaryApiKey')) return []
  if (await exists(join(getClaudeFolder(place), '.credentials.json'))) return []
  return [
    {
      code: 'no_credentials',
      message: 'Claude Code has no credentials: no login, no API key and no cloud provider were found',
      hint: 'Start claude and log in, or set ANTHROPIC_API_KEY.',
    },
  ]
}

// Trust in a folder covers its subfolders. `claude -p` does not ask; the terminal and its hooks do.
async function trustProblems(place: Place, state: Settings): Promise<Problem[]> {
  const folders = new Set([...listAncestors(place.cwd), ...listAncestors(await resolveLinks(place.cwd))])
  for (const folder of folders) {
    if (state.get('projects', folder, 'hasTrustDialogAccepted') === true) return []
  }
  return [
    {
      code: 'untrusted_folder',
      message: `Claude Code does not trust ${place.cwd} yet: its terminal will ask before anything else`,
      hint: 'Start claude in that folder once and choose to trust it.',
    },
  ]
}

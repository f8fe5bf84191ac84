import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { exists } from '../../files/paths.ts'
import { type Settings, readJsonSettings, readTomlSettings } from '../../dialects/settings.ts'
import { findFolderTrustProblems, findDisabledHooks, findTrustProblems } from './hook-obstacles.ts'
import { getCodexFolder } from './home.ts'

/** Problems that keep Codex from working in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const config = await readTomlSettings(join(getCodexFolder(place), 'config.toml'))
  const hooks = await readJsonSettings(join(getCodexFolder(place), 'hooks.json'))
  const off = await findDisabledHooks(place, config)
  return [
    ...config.problems,
    ...hooks.problems,
    ...(await findCredentialProblems(place, config)),
    ...(await findFolderTrustProblems(place, config)),
    ...(off.length > 0 ? off : await findTrustProblems(hooks.file, config, false)),
  ]
}

async function findCredentialProblems(place: Place, config: Settings): Promise<Problem[]> {
  const provider = config.get('model_provider')
  if (typeof provider === 'string' && config.get('model_providers', provider) !== undefined) {
    const variable = config.get('model_providers', provider, 'env_key')
    if (typeof variable !== 'string' || place.env[variable]) return []
    return [
      {
        code: 'no_credentials',
        message: `Codex has no credentials: its provider ${provider} needs ${variable}, which is not set`,
        hint: `Set ${variable}, or choose another model_provider in ${config.file}.`,
      },
    ]
  }
  if (place.env['CODEX_API_KEY'] || place.env['CODEX_ACCESS_TOKEN']) return []
  if (await exists(join(getCodexFolder(place), 'auth.json'))) return []
  // A keychain cannot be read from here.
  const store = config.get('cli_auth_credentials_store')
  if (store === 'keyring' || store === 'auto') return []
  return [
    {
      code: 'no_credentials',
      message: 'Codex has no credentials: no login and no CODEX_API_KEY were found',
      hint: 'Run: codex login (or pipe a key: printenv OPENAI_API_KEY | codex login --with-api-key)',
    },
  ]
}

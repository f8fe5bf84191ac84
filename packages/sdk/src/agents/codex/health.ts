import { join } from 'node:path'
import type { Place, Problem } from '../../agent.ts'
import { ancestors, exists, realPath } from '../folders.ts'
import { isObject, readJsonSettings, readTomlSettings } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { codexFolder } from './home.ts'

/** What would stop a user of Codex in a folder. */
export async function health(place: Place): Promise<Problem[]> {
  const config = await readTomlSettings(join(codexFolder(place), 'config.toml'))
  const hooks = await readJsonSettings(join(codexFolder(place), 'hooks.json'))
  return [
    ...config.problems,
    ...hooks.problems,
    ...(await credentialProblems(place, config)),
    ...(await trustProblems(place, config)),
    ...hooksProblems(config, hooks),
  ]
}

async function credentialProblems(place: Place, config: Settings): Promise<Problem[]> {
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
  if (await exists(join(codexFolder(place), 'auth.json'))) return []
  // A keychain cannot be looked into from here.
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

// Trust is given to a folder or to the repository that holds it. `codex exec` also runs in any repository.
async function trustProblems(place: Place, config: Settings): Promise<Problem[]> {
  const folders = ancestors(await realPath(place.cwd))
  const repository = await firstRepository(folders)
  const levels = [place.cwd, folders[0] ?? place.cwd, repository].map((folder) =>
    folder === undefined ? undefined : config.get('projects', folder, 'trust_level'),
  )
  const level = levels.find((found) => found !== undefined)
  if (level === 'trusted' || (level === undefined && repository !== undefined)) return []
  return [
    {
      code: 'untrusted_folder',
      message:
        level === undefined
          ? `Codex does not trust ${place.cwd}, which is no git repository: codex exec refuses to run there`
          : `Codex does not trust ${place.cwd}: its trust_level is ${JSON.stringify(level)} in ${config.file}`,
      hint: `Add [projects."${place.cwd}"] with trust_level = "trusted" to ${config.file}, or skip the check.`,
    },
  ]
}

async function firstRepository(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) if (await exists(join(folder, '.git'))) return folder
  return undefined
}

function hooksProblems(config: Settings, hooks: Settings): Problem[] {
  if (config.get('features', 'hooks') === false) {
    return [
      {
        code: 'hooks_off',
        message: `Codex runs no hooks: features.hooks is false in ${config.file}`,
        hint: 'Remove that line to use hooks.',
      },
    ]
  }
  const configured = hooks.get('hooks')
  if (!isObject(configured) || Object.keys(configured).length === 0) return []
  const states = config.get('hooks', 'state')
  const trusted = Object.entries(isObject(states) ? states : {}).some(
    ([key, state]) =>
      key.startsWith(`${hooks.file}:`) && isObject(state) && state['trusted_hash'] !== undefined,
  )
  if (trusted) return []
  return [
    {
      code: 'hooks_untrusted',
      message: `Codex skips the hooks in ${hooks.file} without a word, since none of them is trusted yet`,
      hint: 'Start codex once and choose to trust the hooks.',
    },
  ]
}

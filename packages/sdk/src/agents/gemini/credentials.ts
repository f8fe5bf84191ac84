import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { listAncestors, exists } from '../../files/paths.ts'
import type { Settings } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'

const apiKey = 'a key from https://aistudio.google.com/apikey'

/** Requirements of each auth type that settings can select. */
const needs: Readonly<Record<string, string>> = {
  'gemini-api-key': `GEMINI_API_KEY (${apiKey})`,
  'vertex-ai': 'GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY',
  'oauth-personal': 'GOOGLE_CLOUD_PROJECT (Code Assist Standard or Enterprise)',
}

const otherWays =
  `Set GEMINI_API_KEY (${apiKey}), or GOOGLE_GENAI_USE_VERTEXAI=true with ` +
  'GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_CLOUD_PROJECT for Code Assist Standard or Enterprise.'

/** Checks whether the CLI could sign in with the auth type that it would choose. */
export async function credentialProblems(place: Place, user: Settings): Promise<Problem[]> {
  const variables = { ...(await variablesFromFiles(place)), ...given(place.env) }
  const selected = user.get('security', 'auth', 'selectedType')
  const kind = selected ?? kindFromVariables(variables)
  const hint = typeof selected === 'string' ? waysFrom(selected, user.file) : waysByVariables(variables)
  switch (kind) {
    case 'gemini-api-key':
      // The CLI stores the key in the keychain, or in this file if there is no keychain.
      if (variables['GEMINI_API_KEY'] || (await stored(place, 'gemini-credentials.json'))) return []
      return [noCredentials('an API key is selected, but GEMINI_API_KEY is not set', hint)]
    case 'vertex-ai':
      if (variables['GOOGLE_API_KEY']) return []
      if (variables['GOOGLE_CLOUD_PROJECT'] && variables['GOOGLE_CLOUD_LOCATION']) return []
      return [
        noCredentials(
          'Vertex AI is selected, but neither GOOGLE_API_KEY nor project and location are set',
          hint,
        ),
      ]
    case 'oauth-personal':
      return variables['GOOGLE_CLOUD_PROJECT'] ? [] : [loginEnded('login with Google is selected', hint)]
    case 'gateway':
    case 'cloud-shell':
    case 'compute-default-credentials':
      return []
    case undefined:
      if (await stored(place, 'oauth_creds.json')) {
        return [loginEnded('a login with Google is all there is', hint)]
      }
      return [noCredentials('no API key, no Vertex AI and no login were found', hint)]
    default:
      return []
  }
}

// The auth type in settings takes precedence over variables, so a variable of another type has no effect.
function waysFrom(selected: string, file: string): string {
  const others = Object.entries(needs).filter(([kind]) => kind !== selected && kind !== 'oauth-personal')
  return [
    `Change security.auth.selectedType in ${file}, now "${selected}",`,
    `${others.map(([kind, variables]) => `to "${kind}" and set ${variables}`).join('; or ')};`,
    `or keep it and set ${needs[selected]}.`,
  ].join(' ')
}

function waysByVariables(variables: Record<string, string>): string {
  return variables['GOOGLE_GENAI_USE_GCA'] === 'true'
    ? `Unset GOOGLE_GENAI_USE_GCA, which selects that login. ${otherWays}`
    : otherWays
}

function noCredentials(reason: string, hint: string): Problem {
  return {
    code: 'no_credentials',
    message: `Gemini CLI has no credentials: ${reason}`,
    hint,
  }
}

function loginEnded(reason: string, hint: string): Problem {
  return {
    code: 'login_ended',
    message: `Personal Google login to Gemini CLI ended on 2026-06-18, and ${reason}; API key, Vertex AI and Code Assist work`,
    hint,
  }
}

// Same order as getAuthTypeFromEnv of 0.61.0. GOOGLE_API_KEY alone means Vertex AI.
function kindFromVariables(variables: Record<string, string>): string | undefined {
  if (variables['GOOGLE_GENAI_USE_GCA'] === 'true') return 'oauth-personal'
  if (variables['GOOGLE_GENAI_USE_VERTEXAI'] === 'true') return 'vertex-ai'
  if (variables['GOOGLE_GEMINI_BASE_URL']) return 'gateway'
  if (variables['GEMINI_API_KEY']) return 'gemini-api-key'
  if (variables['CLOUD_SHELL'] === 'true') return 'compute-default-credentials'
  if (variables['GEMINI_CLI_USE_COMPUTE_ADC'] === 'true') return 'compute-default-credentials'
  return undefined
}

async function stored(place: Place, name: string): Promise<boolean> {
  return exists(join(geminiFolder(place), name))
}

// The CLI loads the first file found from the project upwards, else the user's.
async function variablesFromFiles(place: Place): Promise<Record<string, string>> {
  const files = [...listAncestors(place.cwd), place.home].flatMap((folder) => [
    join(folder, '.gemini', '.env'),
    join(folder, '.env'),
  ])
  for (const file of [...files, join(geminiFolder(place), '.env')]) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text !== undefined) return parseVariables(text)
  }
  return {}
}

function parseVariables(text: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const match of text.matchAll(/^\s*(?:export\s+)?(\w+)[^\S\n]*=[^\S\n]*(.*?)[^\S\n]*$/gm)) {
    const [, name, value] = match
    if (name !== undefined && value) variables[name] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  return variables
}

function given(env: Place['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => Boolean(pair[1])))
}

import { dirname, join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { isWithin, resolveLinks } from '../../files/paths.ts'
import { isObject, readJsonSettings } from '../../dialects/settings.ts'
import type { Settings } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'
import { since } from './versions.ts'

/** In an untrusted folder the CLI refuses to run headless, and runs no hooks and no MCP servers. */
export async function trustProblems(place: Place, user: Settings): Promise<Problem[]> {
  const enabled = user.get('security', 'folderTrust', 'enabled') ?? atLeast(place.version, since.folderTrust)
  if (enabled !== true) return []
  const byVariable = atLeast(place.version, since.skipTrust) && place.env['GEMINI_CLI_TRUST_WORKSPACE']
  if (byVariable === 'true') return []
  const file =
    place.env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(geminiFolder(place), 'trustedFolders.json')
  const rules = await readJsonSettings(file)
  if (rules.problems.length > 0) return [...rules.problems]
  const level = byVariable === 'false' ? 'DO_NOT_TRUST' : await trustLevel(rules.get(), place.cwd)
  if (level === 'TRUST_FOLDER' || level === 'TRUST_PARENT') return []
  const skip = atLeast(place.version, since.skipTrust) ? ', or set GEMINI_CLI_TRUST_WORKSPACE=true' : ''
  return [
    {
      code: 'untrusted_folder',
      message:
        level === 'DO_NOT_TRUST'
          ? `Gemini CLI does not trust ${place.cwd}: a rule in ${file} or a variable says so`
          : `Gemini CLI does not trust ${place.cwd} yet: ${file} has no rule for it`,
      hint: `Start gemini in that folder once and choose to trust it${skip}.`,
    },
  ]
}

// The rule with the longest path wins; TRUST_PARENT means the parent folder of its path.
async function trustLevel(rules: unknown, cwd: string): Promise<unknown> {
  const location = await resolveLinks(cwd)
  let longest = -1
  let result: unknown
  for (const [path, level] of Object.entries(isObject(rules) ? rules : {})) {
    const folder = await resolveLinks(level === 'TRUST_PARENT' ? dirname(path) : path)
    if (path.length <= longest || !isWithin(folder, location)) continue
    longest = path.length
    result = level
  }
  return result
}

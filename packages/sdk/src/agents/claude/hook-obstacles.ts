import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { checkStrictJson, readJsonSettings, type Settings } from '../../dialects/settings.ts'
import { claudeFolder } from './home.ts'

/** What keeps the CLI from running hooks that are installed. `claude -p` runs them in any folder. */
export async function hookObstacles(place: Place, files: readonly string[]): Promise<Problem[]> {
  const strict = await Promise.all(files.map((file) => checkStrictJson('Claude Code', file)))
  return [...(await switchProblems(place, await settingsOf(place))), ...strict.flat()]
}

/** Claude Code runs what the user's rules allow in plan mode too, and our guard against that is a hook. */
export async function findPlanObstacle(place: Place): Promise<Problem | undefined> {
  const [problem] = await switchProblems(place, await settingsOf(place))
  if (!problem) return undefined
  return {
    code: 'plan_not_read_only',
    message: `Plan mode cannot be kept read-only. ${problem.message}`,
    hint: problem.hint,
  }
}

/** The settings of a user in a folder; where two say something, the later one counts. */
export async function settingsOf(place: Place): Promise<Settings[]> {
  const files = [
    join(claudeFolder(place), 'settings.json'),
    join(place.cwd, '.claude', 'settings.json'),
    join(place.cwd, '.claude', 'settings.local.json'),
  ]
  // The home itself as working directory makes two of them one.
  return Promise.all([...new Set(files)].map((file) => readJsonSettings(file)))
}

/** Settings and variables that switch hooks off, all of them or those of users. */
export async function switchProblems(place: Place, settings: readonly Settings[]): Promise<Problem[]> {
  const managed = await readJsonSettings(managedFile())
  const plugins = managed.get('strictPluginOnlyCustomization')
  const pluginsOnly = plugins === true || (Array.isArray(plugins) && plugins.includes('hooks'))
  if (managed.get('allowManagedHooksOnly') === true || pluginsOnly) {
    const name = pluginsOnly ? 'strictPluginOnlyCustomization' : 'allowManagedHooksOnly'
    return [
      {
        code: 'hooks_off',
        message: `Claude Code runs no hooks of users: ${name} is set in ${managed.file}`,
        hint: 'Ask whoever manages this machine to allow hooks of users.',
      },
    ]
  }
  const deciding = [...settings, managed].findLast((file) => file.get('disableAllHooks') !== undefined)
  if (deciding?.get('disableAllHooks') === true) {
    return [
      {
        code: 'hooks_off',
        message: `Claude Code runs no hooks: disableAllHooks is set in ${deciding.file}`,
        hint: 'Remove "disableAllHooks" from that file to use hooks.',
      },
    ]
  }
  const mode = place.env['CLAUDE_CODE_SAFE_MODE']
  if (!mode || !/^(?:1|true|yes|on)$/i.test(mode)) return []
  return [
    {
      code: 'hooks_off',
      message: `Claude Code runs no hooks of users: CLAUDE_CODE_SAFE_MODE is ${mode}`,
      hint: 'Unset CLAUDE_CODE_SAFE_MODE to use hooks.',
    },
  ]
}

function managedFile(): string {
  const folder =
    process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'
  return join(folder, 'managed-settings.json')
}

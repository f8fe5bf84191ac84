import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { checkStrictJson, readJsonSettings, type Settings } from '../../dialects/settings.ts'
import { getClaudeFolder } from './home.ts'

/** Reasons why the CLI would not run installed hooks. `claude -p` runs them in any folder. */
export async function findHookObstacles(place: Place, files: readonly string[]): Promise<Problem[]> {
  const strict = await Promise.all(files.map((file) => checkStrictJson('Claude Code', file)))
  return [...(await findDisabledHooks(place, await readSettings(place))), ...strict.flat()]
}

/** Plan mode is kept read-only by a hook, since Claude Code runs what the user's rules allow in plan mode too. */
export async function findPlanObstacle(place: Place): Promise<Problem | undefined> {
  const [problem] = await findDisabledHooks(place, await readSettings(place))
  if (!problem) return undefined
  return {
    code: 'plan_not_read_only',
    message: `Plan mode cannot be kept read-only. ${problem.message}`,
    hint: problem.hint,
  }
}

/** The settings files that apply in a folder. A later file overrides an earlier one. */
export async function readSettings(place: Place): Promise<Settings[]> {
  const files = [
    join(getClaudeFolder(place), 'settings.json'),
    join(place.cwd, '.claude', 'settings.json'),
    join(place.cwd, '.claude', 'settings.local.json'),
  ]
  // In the home folder two of the paths are the same.
  return Promise.all([...new Set(files)].map((file) => readJsonSettings(file)))
}

/** Settings and variables that disable all hooks, or the hooks of users. */
export async function findDisabledHooks(place: Place, settings: readonly Settings[]): Promise<Problem[]> {
  const managed = await readJsonSettings(managedFile())
  const plugins = managed.get('strictPluginOnlyCustomization')
  const pluginsOnly = plugins === true || (Array.isArray(plugins) && plugins.includes('hooks'))
  if (managed.get('allowManagedHooksOnly') === true || pluginsOnly) {
    const name = pluginsOnly ? 'strictPluginOnlyCustomization' : 'allowManagedHooksOnly'
    return [
      {
        code: 'hooks_off',
        message: `Claude Code runs no hooks of users: ${name} is set in ${managed.file}`,
        hint: 'Ask the administrator of this machine to allow user hooks.',
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

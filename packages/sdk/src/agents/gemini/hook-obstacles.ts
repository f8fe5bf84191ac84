import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { getHookKind, hookNames } from '../../dialects/our-hooks.ts'
import { type Settings, readJsonSettings } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'
import { trustProblems } from './trust.ts'
import { since } from './versions.ts'

/** Settings of the user and the project. With a trailing comma in either, the CLI does not start. */
export async function settingsFiles(
  place: Place,
): Promise<readonly [user: Settings, ...project: Settings[]]> {
  const strict = { trailingCommas: false }
  const user = await readJsonSettings(join(geminiFolder(place), 'settings.json'), strict)
  const project = await readJsonSettings(join(place.cwd, '.gemini', 'settings.json'), strict)
  // Both are the same file if the working directory is the home folder.
  return user.file === project.file ? [user] : [user, project]
}

/** Finds what keeps the CLI from running installed hooks. */
export async function hookObstacles(place: Place): Promise<Problem[]> {
  const files = await settingsFiles(place)
  const [user] = files
  return [
    ...files.flatMap((settings) => settings.problems),
    ...(await switchProblems(place, files)),
    ...(await trustProblems(place, user)).map((problem) =>
      problem.code === 'untrusted_folder'
        ? { ...problem, message: `${problem.message}; no hook runs there, of the user neither` }
        : problem,
    ),
  ]
}

/** Finds settings that disable all hooks or ours. The files are in the order in which the CLI reads them. */
export async function switchProblems(place: Place, files: readonly Settings[]): Promise<Problem[]> {
  if (!atLeast(place.version, since.hooks)) {
    return [
      {
        code: 'hooks_off',
        message: `Gemini CLI ${place.version} runs hooks only with a switch of its own`,
        hint: `Update Gemini CLI to ${since.hooks} or later to use hooks.`,
      },
    ]
  }
  const all = [...files, await readJsonSettings(systemFile(place))]
  // The last file with this setting decides.
  const deciding = all.findLast((settings) => settings.get('hooksConfig', 'enabled') !== undefined)
  if (deciding?.get('hooksConfig', 'enabled') === false) {
    return [
      {
        code: 'hooks_off',
        message: `Gemini CLI runs no hooks: hooksConfig.enabled is false in ${deciding.file}`,
        hint: 'Set "hooksConfig": {"enabled": true} in that file to use hooks.',
      },
    ]
  }
  return all.flatMap((settings) => {
    const name = disabledOfOurs(settings)
    return name === undefined
      ? []
      : [
          {
            code: 'hooks_off',
            message: `Gemini CLI does not run hooks of Remora: hooksConfig.disabled names ${name} in ${settings.file}`,
            hint: `Start gemini and enter: /hooks enable ${name}`,
          },
        ]
  })
}

// An unnamed hook is listed there by its command.
function disabledOfOurs(settings: Settings): string | undefined {
  const disabled = settings.get('hooksConfig', 'disabled')
  const names: readonly string[] = Object.values(hookNames)
  return (Array.isArray(disabled) ? (disabled as unknown[]) : []).find(
    (name): name is string =>
      typeof name === 'string' && (names.includes(name) || getHookKind(name) !== undefined),
  )
}

function systemFile({ env }: Place): string {
  const folder = process.platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli'
  return env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || join(folder, 'settings.json')
}

import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { isWithin, listAncestors, exists, resolveLinks } from '../../files/paths.ts'
import { getHookKind, quoteCommand } from '../../dialects/our-hooks.ts'
import { type Settings, checkStrictJson, readTomlSettings } from '../../dialects/settings.ts'
import { getCodexFolder } from './home.ts'
import { readHooksTrust } from './hooks-trust.ts'
import { notifyEvent, readNotify } from './notify.ts'

/** Reasons why Codex would not run the hooks installed in these files. */
export async function findHookObstacles(place: Place, files: readonly string[]): Promise<Problem[]> {
  const config = await readTomlSettings(join(getCodexFolder(place), 'config.toml'))
  const off = await findDisabledHooks(place, config)
  if (off.length > 0) return off
  const problems: Problem[] = []
  for (const file of files.filter((each) => !each.endsWith('.toml'))) {
    problems.push(
      ...(await checkStrictJson('Codex', file, { byteOrderMark: false })),
      ...(await findTrustProblems(file, config, true)),
    )
    // The user's own folder may be inside the project, but does not need the project's trust.
    if (isWithin(place.cwd, file) && !isWithin(getCodexFolder(place), file))
      problems.push(...(await findFolderTrustProblems(place, config)))
  }
  const untrusted = problems.some(({ code }) => code === 'hooks_untrusted')
  return untrusted ? [...problems, ...findNotifyProblems(config)] : problems
}

/** Settings that disable all hooks, or the hooks of users. */
export async function findDisabledHooks(place: Place, user: Settings): Promise<Problem[]> {
  const [requirements, managed, project, system] = await Promise.all(
    [
      join(systemFolder, 'requirements.toml'),
      join(systemFolder, 'managed_config.toml'),
      join(place.cwd, '.codex', 'config.toml'),
      join(systemFolder, 'config.toml'),
    ].map((file) => readTomlSettings(file)),
  )
  if (requirements!.get('allow_managed_hooks_only') === true) {
    return [
      {
        code: 'hooks_off',
        message: `Codex runs no hooks of users: allow_managed_hooks_only is set in ${requirements!.file}`,
        hint: 'Ask the administrator of this machine to allow user hooks.',
      },
    ]
  }
  // The first file with the setting decides; `codex_hooks` is its older name.
  for (const file of [requirements!, managed!, project!, user, system!]) {
    const name = ['hooks', 'codex_hooks'].find((each) => file.get('features', each) !== undefined)
    if (name === undefined) continue
    if (file.get('features', name) !== false) return []
    return [
      {
        code: 'hooks_off',
        message: `Codex runs no hooks: features.${name} is false in ${file.file}`,
        hint: 'Remove that line to use hooks.',
      },
    ]
  }
  return []
}

/** Hooks that the user has not trusted, or has disabled: all of them, or only Remora's. */
export async function findTrustProblems(
  file: string,
  config: Settings,
  onlyOurs: boolean,
): Promise<Problem[]> {
  const hooks = (await readHooksTrust(file, config)).filter(({ ours }) => ours || !onlyOurs)
  const whose = onlyOurs ? 'hooks of Remora' : 'hooks'
  const untrusted = hooks.filter(({ trusted }) => !trusted)
  const disabled = hooks.filter((hook) => hook.trusted && hook.disabled)
  return [
    ...(untrusted.length === 0
      ? []
      : [
          {
            code: 'hooks_untrusted',
            message: `Codex skips ${untrusted.length} of ${hooks.length} ${whose} in ${file} silently, because they are not trusted yet`,
            hint: 'Start codex once in a terminal; at "Hooks need review" choose "2. Trust all and continue" (or "1. Review hooks" to see each).',
          },
        ]),
    ...(disabled.length === 0
      ? []
      : [
          {
            code: 'hooks_off',
            message: `Codex does not run ${disabled.length} of ${hooks.length} ${whose} in ${file}: they are switched off in ${config.file} (${disabled.map(({ event }) => event).join(', ')})`,
            hint: 'Start codex, enter /hooks and switch them on.',
          },
        ]),
  ]
}

/** Without trusted hooks only `notify` reports turns, and Codex allows only one `notify` program. */
function findNotifyProblems(config: Settings): Problem[] {
  const command = readNotify({ notify: config.get(notifyEvent) })
  if (!command || getHookKind(quoteCommand(command)) !== undefined) return []
  return [
    {
      code: 'notify_taken',
      message: `notify in ${config.file} already runs another program at the end of a turn`,
      hint: 'Remora leaves it unchanged. Trust the hooks, which report the same and more.',
    },
  ]
}

const systemFolder = '/etc/codex'

/** The user trusts a folder or the repository around it. `codex exec` also runs in any repository. */
export async function findFolderTrustProblems(place: Place, config: Settings): Promise<Problem[]> {
  const folders = listAncestors(await resolveLinks(place.cwd))
  const repository = await findRepository(folders)
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

async function findRepository(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) if (await exists(join(folder, '.git'))) return folder
  return undefined
}

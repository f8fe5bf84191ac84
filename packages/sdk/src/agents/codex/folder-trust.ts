import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { listAncestors, exists, resolveLinks } from '../../files/paths.ts'
import type { Settings } from '../../dialects/settings.ts'

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

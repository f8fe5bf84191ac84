import { homedir } from 'node:os'
import type { Agent } from '../agent.ts'
import { type DetectPlace, type Detected, detect } from '../detect.ts'
import { pathsOf } from './paths.ts'

/**
 * Finds the program that speaks ACP for an agent: by its own variable, then PATH and the install folders, then where
 * the project and the folders above it have installed it for themselves. Undefined for agents that speak ACP
 * themselves; where it is missing, `problems` says how to get it.
 *
 * @example
 * const wrapper = await findWrapper(claude, place)
 * if (wrapper && !wrapper.installed) console.log(wrapper.problems[0]?.hint)
 */
export async function findWrapper(
  { title, acp }: Pick<Agent, 'title' | 'acp'>,
  place: DetectPlace = {},
): Promise<Detected | undefined> {
  const detection = acp?.wrapper
  if (!detection) return undefined
  const wrapper = { title: `The ACP wrapper of ${title}`, detection }
  const where = { home: homedir(), ...place }
  const found = await detect(wrapper, where)
  // A variable that leads nowhere is a mistake, and what lies elsewhere would hide it.
  if (found.installed || found.problems.some(({ code }) => code === 'bad_path')) return found
  const folders = projectFolders(place.cwd ?? process.cwd(), place.platform ?? process.platform)
  return detect({ ...wrapper, detection: { ...detection, folders } }, where)
}

/** Where a project has the commands of its packages, from the working directory upwards. */
function projectFolders(cwd: string, platform: NodeJS.Platform): string[] {
  const paths = pathsOf(platform)
  const folders: string[] = []
  for (let folder = paths.resolve(cwd); ; folder = paths.dirname(folder)) {
    folders.push(paths.join(folder, 'node_modules', '.bin'))
    if (folder === paths.dirname(folder)) return folders
  }
}

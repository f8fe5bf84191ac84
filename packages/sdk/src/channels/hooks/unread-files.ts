import { basename, dirname } from 'node:path'
import type { Agent, HooksPart, Place, Problem } from '../../contract/agent.ts'
import { getHooks } from './install-hooks.ts'

/** The files with hooks of ours that a CLI does not look at: a person may name any file. */
export async function unreadProblems(
  agent: Agent,
  place: Place,
  files: readonly { readonly file: string }[],
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { file } of files)
    if (!(await isRead(getHooks(agent), place, file)))
      problems.push({
        code: 'hooks_unread',
        message: `${agent.title} does not read ${file} by itself`,
        hint: `Its hooks run only where you hand this file to the CLI. For every session: remora hooks install ${agent.id}`,
      })
  return problems
}

/** Whether it is a file of the user, or of the project in any folder around it. */
async function isRead(part: HooksPart, place: Place, file: string): Promise<boolean> {
  const reads = async (cwd: string, scope: 'user' | 'project'): Promise<boolean> =>
    (await part.targets({ ...place, cwd }, scope)).some(
      (target) =>
        target.file === file ||
        (dirname(target.file) === dirname(file) && part.alsoRead?.test(basename(file)) === true),
    )
  if (await reads(place.cwd, 'user')) return true
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (await reads(folder, 'project')) return true
    if (folder === dirname(folder)) return false
  }
}

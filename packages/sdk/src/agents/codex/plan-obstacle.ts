import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { getCodexFolder } from './home.ts'

/**
 * Finds rules of the user or the project that allow commands. Codex runs such a command outside of its sandbox without
 * asking, in read-only mode too. `codex exec` can ignore the rules; its terminal and its app server cannot.
 */
export async function findPlanObstacle(place: Place): Promise<Problem | undefined> {
  const folders = [join(getCodexFolder(place), 'rules')]
  for (let folder = resolve(place.cwd); ; folder = dirname(folder)) {
    folders.push(join(folder, '.codex', 'rules'))
    if (folder === dirname(folder)) break
  }
  for (const folder of folders)
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name)
      if (!name.endsWith('.rules') || !allowsCommands(await readFile(file, 'utf8').catch(() => ''))) continue
      return {
        code: 'plan_not_read_only',
        message: `${file} allows commands, which Codex runs outside of its sandbox in plan mode too`,
        hint: 'Remove the rules that allow commands, or use a headless run in plan mode, which ignores them.',
      }
    }
  return undefined
}

/** A rule without a decision allows. @example allowsCommands('prefix_rule(pattern=["ls"], decision="prompt")') // false */
export function allowsCommands(rules: string): boolean {
  const [, ...calls] = rules.replaceAll(/^\s*#.*$/gm, '').split(/\b\w+_rule\s*\(/)
  return calls.some((call) => !/\bdecision\s*=\s*["'](?:prompt|forbidden)["']/.test(call))
}

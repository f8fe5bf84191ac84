import type { Agent, HookScope, HookTarget, Place } from '../../contract/agent.ts'
import type { HookFolders } from './install-files.ts'
import { getHooks } from './install-hooks.ts'
import { readRecords } from './install-record.ts'

/**
 * Lists the files that may contain our hooks: those of a scope, or the recorded ones and those of the user and the project,
 * without duplicates.
 */
export async function hookTargets(
  agent: Agent,
  place: Place,
  { installed }: HookFolders,
  scope: HookScope | undefined,
): Promise<HookTarget[]> {
  const part = getHooks(agent)
  if (scope !== undefined) return part.targets(place, scope)
  const found = new Map<string, HookTarget>()
  const add = (targets: readonly HookTarget[]) => {
    for (const target of targets) if (!found.has(target.file)) found.set(target.file, target)
  }
  add(await part.targets(place, 'user'))
  add(await part.targets(place, 'project'))
  for (const record of readRecords(installed)) {
    if (record.agent !== agent.id || found.has(record.file)) continue
    add((await part.targets({ ...place, cwd: record.cwd }, record.scope)).filter(isAt(record.file)))
    if (!found.has(record.file))
      add((await part.targets(place, { file: record.file })).filter(isAt(record.file)))
  }
  return [...found.values()]
}

const isAt = (file: string) => (target: HookTarget) => target.file === file

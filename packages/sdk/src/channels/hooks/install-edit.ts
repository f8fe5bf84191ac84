import { rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { HookScope, Place } from '../../contract/agent.ts'

/** Deletes folders that we have made, unless something is in them; they are given from the outside in. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {})
}

/** A file that was named is found from the folder in which it was. */
export function absolute(scope: HookScope, { cwd }: Place): HookScope {
  return typeof scope === 'object' ? { file: resolve(cwd, scope.file) } : scope
}

/** The folders that are missing on the way to a file, from the outside in. */
export async function missingFolders(file: string): Promise<string[]> {
  const folder = dirname(file)
  if (folder === file || (await stat(folder).catch(() => undefined))) return []
  return [...(await missingFolders(folder)), folder]
}

/** Says which file an error is about. */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!RemoraError.is(error) || error.code !== 'config') throw error
    throw new RemoraError('config', `${file}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    })
  }
}

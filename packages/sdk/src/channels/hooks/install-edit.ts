import { realpath, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { HookScope, Place } from '../../contract/agent.ts'
import { withFileLock } from '../../files/file-lock.ts'
import { editSettings, exactText } from '../../files/settings-file.ts'

/** The exact text of a file; undefined if it is not there. Throws `config` for one that cannot be read. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return await exactText(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return undefined
    throw new RemoraError('config', `${file} cannot be read: ${message}`, {
      hint: `Check what it is and who may read it: ls -l ${file}. Nothing was changed.`,
      cause: error,
    })
  }
}

/** Changes a file of a CLI as `editSettings` does, and deletes it where the edit gives undefined. */
export async function editOrDelete(
  file: string,
  edit: (text: string) => string | undefined,
  mode?: number,
): Promise<void> {
  let doomed: string | undefined
  await editSettings(
    file,
    (text) => {
      const result = edit(text)
      doomed = result === undefined ? text : undefined
      return result ?? text
    },
    mode,
  )
  if (doomed === undefined) return
  await withFileLock(await realpath(file), async () => {
    if ((await readText(file)) === doomed) await rm(await realpath(file))
  })
}

/** Deletes folders that we have made, unless something is in them; they are given from the outside in. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {})
}

/** A file that was named is found from the folder in which it was. */
export function absolute(scope: HookScope, { cwd }: Place): HookScope {
  return typeof scope === 'object' ? { file: resolve(cwd, scope.file) } : scope
}

/** Refuses a file whose owner wants it unchanged. Replacing it would succeed, since only its folder counts for that. */
export async function refuseReadOnly(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (!found || (found.mode & 0o222) !== 0) return
  throw new RemoraError('config', `${file} is read-only`, {
    hint: `Allow it with: chmod u+w ${file}. Nothing was changed.`,
  })
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

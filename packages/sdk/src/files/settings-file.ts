import { chown, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { withFileLock } from './file-lock.ts'

/** How often to retry when another program writes to the file at the same time. */
const maxTries = 5

/**
 * Edits a settings file atomically, under a lock. The file keeps its mode, and symbolic links are followed. A missing
 * file is created with the given mode; its text is empty.
 *
 * @example await editSettings('/home/me/.gemini/settings.json', (text) => setJsonc(text, ['ui', 'theme'], 'Dark'))
 */
export async function editSettings(
  path: string,
  edit: (text: string) => string,
  mode = 0o600,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    const file = await resolveTarget(path)
    await withFileLock(file, async () => {
      for (let left = maxTries; left > 0; left--) if (await replace(file, edit, mode)) return
      throw new RemoraError('conflict', `${path} is changed by another program all the time`, {
        hint: 'Close that program and try again. Nothing was changed.',
      })
    })
  } catch (error) {
    throw toConfigError(error, path)
  }
}

/** Returns false if another program wrote to the file in the meantime. */
async function replace(file: string, edit: (text: string) => string, mode: number): Promise<boolean> {
  const before = await readExactText(file)
  const text = edit(before ?? '')
  if (text === before) return true
  const old = await stat(file).catch(() => undefined)
  const draft = `${file}.remora-${process.pid}`
  try {
    const handle = await open(draft, 'w', old ? old.mode & 0o777 : mode)
    try {
      await handle.writeFile(text)
      if (old) await handle.chmod(old.mode & 0o777)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // Keep the owner when root edits a user's file.
    if (old) await chown(draft, old.uid, old.gid).catch(() => {})
    if ((await readExactText(file)) !== before) return false
    await rename(draft, file)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

// Invalid UTF-8 is an error, because decoding it would change the bytes.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a file without normalization; undefined if it does not exist. */
async function readExactText(file: string): Promise<string | undefined> {
  try {
    return decoder.decode(await readFile(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Follows symbolic links; a missing file resolves to its path in the real folder. */
async function resolveTarget(path: string): Promise<string> {
  const link = await lstat(path).catch(() => undefined)
  return link ? realpath(path) : join(await realpath(dirname(path)), basename(path))
}

function toConfigError(error: unknown, path: string): unknown {
  if (RemoraError.is(error)) {
    if (error.code !== 'config') return error
    return new RemoraError('config', `${path}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    })
  }
  return new RemoraError('config', `${path} cannot be changed: ${(error as Error).message}`, {
    hint: `Check what it is and who may write to it: ls -l ${path}. Nothing was changed.`,
    cause: error,
  })
}

/**
 * Reads the exact text of a file; undefined if it does not exist. Throws `config` for an unreadable file.
 *
 * @example await readText('settings.json')
 */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return await readExactText(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return undefined
    throw new RemoraError('config', `${file} cannot be read: ${message}`, {
      hint: `Check what it is and who may read it: ls -l ${file}. Nothing was changed.`,
      cause: error,
    })
  }
}

/**
 * Edits a file like `editSettings`, and deletes it if the edit returns undefined.
 *
 * @example await editOrDelete(file, () => undefined)
 */
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

/**
 * Throws for a read-only file. The file system would allow replacing it, because only the folder's mode counts.
 *
 * @example await refuseReadOnly(file)
 */
export async function refuseReadOnly(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (!found || (found.mode & 0o222) !== 0) return
  throw new RemoraError('config', `${file} is read-only`, {
    hint: `Allow it with: chmod u+w ${file}. Nothing was changed.`,
  })
}

import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { RemoraError } from '@remora/protocol/plain'

/** Writes a file of a person: the old one stays until the new one is complete, with its permissions and links. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const mode = (await stat(target).catch(() => undefined))?.mode
  const draft = `${target}.${process.pid}`
  try {
    await writeFile(draft, text, mode === undefined ? {} : { mode: mode & 0o777 })
    await rename(draft, target)
  } catch (cause) {
    throw new RemoraError('input', `Cannot write ${path}: ${(cause as Error).message}`, {
      hint: 'Check the folder and its permissions. Nothing was changed.',
      cause,
    })
  } finally {
    await rm(draft, { force: true })
  }
}

import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Finds a program in PATH. @example await findProgram('tmux', process.env.PATH) */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? '').split(delimiter)) {
    if (folder === '') continue
    const file = join(folder, name)
    try {
      await access(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

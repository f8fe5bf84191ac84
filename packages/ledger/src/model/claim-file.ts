import { open } from 'node:fs/promises'
import { RemoraError } from '@remora/protocol/plain'

/** Creates a new file with mode 0600. Throws if it exists. */
export async function claimFile(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new RemoraError('input', `The folder of ${file} does not exist`, {
        hint: 'Create the folder first.',
      })
    if (code !== 'EEXIST') throw error
    throw new RemoraError('conflict', `The file exists already: ${file}`, {
      hint: 'Choose another name, or move it away first.',
    })
  }
}

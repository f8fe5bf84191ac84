import { open } from 'node:fs/promises'
import { RemoraError } from '@remora/protocol/plain'

/** Creates a new file with mode 0600. Throws if it exists. */
export async function claimFile(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new RemoraError('input', `There is no folder for ${file}`, { hint: 'Make the folder first.' })
    if (code !== 'EEXIST') throw error
    throw new RemoraError('conflict', `There is a file already: ${file}`, {
      hint: 'Choose another name, or move it away first.',
    })
  }
}

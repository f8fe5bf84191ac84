import { access, constants, stat } from 'node:fs/promises'

/** Whether a path is a file that may be run. On Windows the extension has said so already. */
export async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (!(await isReadableFile(path, false))) return false
  if (platform === 'win32') return true
  return allowed(path, constants.X_OK)
}

/** Whether a path is a file, and one that may be read. */
export async function isReadableFile(path: string, read = true): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false
  } catch {
    return false
  }
  return read ? allowed(path, constants.R_OK) : true
}

async function allowed(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}

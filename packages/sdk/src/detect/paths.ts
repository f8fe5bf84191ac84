import { posix, win32 } from 'node:path'
import { access, constants, stat } from 'node:fs/promises'

/** The path rules of a platform, so that those of Windows can be followed and tested anywhere. */
export function getPathModule(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix
}

/** Expands a leading `~` to the home folder. */
export function expandHome(path: string, home: string, platform: NodeJS.Platform): string {
  return path === '~' || /^~[/\\]/.test(path) ? getPathModule(platform).join(home, path.slice(1)) : path
}

/** Gets an environment variable; its name is case-insensitive on Windows. */
export function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== 'win32' || env[name] !== undefined) return env[name]
  const key = Object.keys(env).find((other) => other.toUpperCase() === name.toUpperCase())
  return key === undefined ? undefined : env[key]
}

/** Whether a path is an executable file. On Windows the extension was already checked. */
export async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (!(await isReadableFile(path, false))) return false
  if (platform === 'win32') return true
  return allowed(path, constants.X_OK)
}

/** Whether a path is a readable file. */
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

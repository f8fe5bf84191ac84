import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Whether a program can be started from PATH now. @example isInPath('jq', process.env.PATH) */
export function isInPath(program: string, path = ''): boolean {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => isExecutable(join(folder, program)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

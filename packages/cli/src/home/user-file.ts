import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

/**
 * Reads a JSON file of user data, such as aliases; `empty` if it does not exist.
 *
 * @example const mappings = await readUserFile<Mapping[]>(mappingsPath(io), [])
 */
export async function readUserFile<T>(path: string, empty: T): Promise<T> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return empty
    throw new RemoraError('config', `Cannot read ${path}: ${(cause as Error).message}`, {
      hint: 'Check the file and its permissions, or set REMORA_HOME to another folder.',
      cause,
    })
  }
  return parsed(text, path, empty)
}

/**
 * Edits such a file atomically and under a lock. Returns the new value.
 *
 * @example await editUserFile<Mapping[]>(path, [], (mappings) => [...mappings, mapping])
 */
export async function editUserFile<T>(path: string, empty: T, edit: (value: T) => T): Promise<T> {
  // Loaded on demand, because reading does not need the SDK.
  const { editSettings } = await import('@remora/sdk/hooks')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let value = empty
  await editSettings(path, (text) => {
    value = edit(text === '' ? empty : parsed(text, path, empty))
    return `${JSON.stringify(value, null, 2)}\n`
  })
  return value
}

function parsed<T>(text: string, path: string, empty: T): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed(path, (cause as Error).message, cause)
  }
  const list = Array.isArray(empty)
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== list)
    throw malformed(path, `it must be one JSON ${list ? 'array' : 'object'}`)
  return value as T
}

function malformed(path: string, why: string, cause?: unknown): RemoraError {
  return new RemoraError('config', `${path} cannot be read: ${why}`, {
    hint: 'Fix it, or move it away to start over. Nothing was changed.',
    ...(cause === undefined ? {} : { cause }),
  })
}

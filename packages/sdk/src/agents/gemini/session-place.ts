import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { asRecord } from '../../events/fields.ts'

/** Parses the path of a sub-agent's file: `chats/<session>/<sub-agent>.jsonl`. */
export function parseSubagentPath(path: string): { parent: string; id: string } | undefined {
  const folder = dirname(path)
  if (basename(dirname(folder)) !== 'chats') return undefined
  return { parent: basename(folder), id: basename(path, extname(path)) }
}

/** Reads the project of a session file from the marker beside the chats folder. */
export function readProject(path: string): string | undefined {
  const folder = parseSubagentPath(path) ? dirname(dirname(path)) : dirname(path)
  if (basename(folder) !== 'chats') return undefined
  const project = dirname(folder)
  const noted = read(join(project, '.project_root'))?.trim()
  return noted || namedByHash(project)
}

/** Old folders are named by the hash of the project, so every project known to the CLI is compared. */
function namedByHash(folder: string): string | undefined {
  const hash = basename(folder)
  if (!/^[\da-f]{64}$/.test(hash)) return undefined
  const home = dirname(dirname(folder))
  const known = [
    ...Object.keys(asRecord(parse(read(join(home, 'projects.json'))))?.['projects'] ?? {}),
    ...Object.keys(asRecord(parse(read(join(home, 'trustedFolders.json')))) ?? {}),
  ]
  return known.find((path) => hashProject(path) === hash)
}

/** The name of a project's folder up to 0.27. @example hashProject('/home/me/work') */
export function hashProject(project: string): string {
  return createHash('sha256').update(project).digest('hex')
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

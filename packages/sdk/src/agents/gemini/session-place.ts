import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { asRecord } from '../../events/fields.ts'

/** The sub-agent that wrote a file, and the session that started it: `chats/<session>/<sub-agent>.jsonl`. */
export function subagentOf(path: string): { parent: string; id: string } | undefined {
  const folder = dirname(path)
  if (basename(dirname(folder)) !== 'chats') return undefined
  return { parent: basename(folder), id: basename(path, extname(path)) }
}

/** The project that a session file belongs to, as the CLI noted it beside the folder of chats. */
export function projectOf(path: string): string | undefined {
  const folder = subagentOf(path) ? dirname(dirname(path)) : dirname(path)
  if (basename(folder) !== 'chats') return undefined
  const project = dirname(folder)
  const noted = read(join(project, '.project_root'))?.trim()
  return noted || namedByHash(project)
}

/** Before there were short names, the folder was the hash of the project: any that the CLI knows may be it. */
function namedByHash(folder: string): string | undefined {
  const hash = basename(folder)
  if (!/^[\da-f]{64}$/.test(hash)) return undefined
  const home = dirname(dirname(folder))
  const known = [
    ...Object.keys(asRecord(parse(read(join(home, 'projects.json'))))?.['projects'] ?? {}),
    ...Object.keys(asRecord(parse(read(join(home, 'trustedFolders.json')))) ?? {}),
  ]
  return known.find((path) => hashOf(path) === hash)
}

/** The name of a project's folder up to 0.27. @example hashOf('/home/me/work') */
export function hashOf(project: string): string {
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

import { type Dirent, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Agent, Place } from '../../contract/agent.ts'

/** Folders do not go deeper than this in any agent's home; a loop of links must not hold us. */
const deepest = 6

/** The files in which an agent keeps its sessions. @example await findFiles(gemini, place) */
export async function findFiles(agent: Agent, place: Place): Promise<string[]> {
  const part = agent.transcripts
  if (!part) return []
  const root = part.root(place)
  const found: string[] = []
  for (const folder of foldersOf(agent, place))
    for (const path of filesBelow(folder)) if (part.isSession(relative(root, path))) found.push(path)
  // Where several files are one session, their names say in which order.
  return found.sort()
}

/** Where an agent's sessions may be. */
export function foldersOf({ transcripts }: Agent, place: Place): string[] {
  if (!transcripts) return []
  return [transcripts.root(place), ...(transcripts.aside ? [transcripts.aside(place)] : [])]
}

/** Without giving way: a folder is read in less time than it takes to wait for it. */
function* filesBelow(folder: string, depth = 0): Generator<string> {
  for (const entry of listEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && depth < deepest) yield* filesBelow(path, depth + 1)
  }
}

function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

import { type Dirent, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Agent, Place } from '../../contract/agent.ts'

/** No agent nests folders deeper than this; the limit stops loops of links. */
const deepest = 6

/** Lists the session files of an agent. @example await findFiles(gemini, place) */
export async function findFiles(agent: Agent, place: Place): Promise<string[]> {
  const part = agent.transcripts
  if (!part) return []
  const root = part.root(place)
  const found: string[] = []
  for (const folder of listTranscriptFolders(agent, place))
    for (const path of filesBelow(folder)) if (part.isSession(relative(root, path))) found.push(path)
  // The order of several files of one session is in their names.
  return found.sort()
}

/**
 * The root folders of an agent's sessions.
 *
 * @example listTranscriptFolders(gemini, place) // ['/home/me/.gemini/tmp']
 */
export function listTranscriptFolders({ transcripts }: Agent, place: Place): string[] {
  if (!transcripts) return []
  return [transcripts.root(place), ...(transcripts.archiveRoot ? [transcripts.archiveRoot(place)] : [])]
}

/** Synchronous, because awaiting a folder takes longer than reading it. */
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

import { relative } from 'node:path'
import type { Agent, Place } from '../../contract/agent.ts'
import { listTranscriptFolders } from './find-files.ts'
import { watchFolders } from './watch-folders.ts'

/**
 * Calls back for every transcript of an agent that is created, changed or deleted, until the signal aborts.
 *
 * @example await watchTranscripts(gemini, place, (path) => read(path), signal)
 */
export async function watchTranscripts(
  agent: Agent,
  place: Place,
  onChange: (path: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const part = agent.transcripts
  if (!part) return
  const root = part.root(place)
  const changed = (name: string): void => {
    // The write-ahead log of a database is a separate file.
    const path = name.replace(/-(?:wal|shm)$/, '')
    if (part.isSession(relative(root, path))) onChange(path)
  }
  for (const folder of listTranscriptFolders(agent, place)) await watchFolders(folder, changed, signal)
}

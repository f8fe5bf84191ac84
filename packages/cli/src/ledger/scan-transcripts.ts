import { type Dirent, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Ledger } from '@remora/ledger'
import { type Agent, agents } from '@remora/sdk/transcripts'
import type { Io } from '../command/io.ts'
import { type TranscriptSnapshot, snapshotMark, hashEnvironment, toStamp, readStats } from './freshness.ts'

/** Maximum depth of session files. */
const deepest = 6
/** With more paths, a snapshot is not faster than an import. */
const most = 50_000
/** A younger file may change again within the resolution of its time. */
const settledMs = 2000

/** Takes a snapshot of all session files; undefined if there are too many. */
export function takeSnapshot(io: Pick<Io, 'env' | 'home' | 'cwd'>): TranscriptSnapshot | undefined {
  const paths: Record<string, string> = {}
  const now = Date.now()
  let count = 0
  const note = (path: string): void => {
    const stats = readStats(path)
    const fresh = stats !== undefined && Number(stats.mtimeMs) > now - settledMs
    paths[path] = fresh ? 'modified too recently' : toStamp(stats)
    count++
  }
  const walk = (agent: Agent, root: string, folder: string, depth: number): void => {
    note(folder)
    for (const entry of readEntries(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth < deepest && !agent.transcripts!.database && count < most)
        walk(agent, root, path, depth + 1)
      else if (entry.isFile() && agent.transcripts!.isSession(relative(root, path))) {
        note(path)
        // SQLite keeps recent changes in a file beside the database.
        if (agent.transcripts!.format(path) === 'database') note(`${path}-wal`)
      }
    }
  }
  for (const agent of agents()) {
    const root = agent.transcripts?.root({ env: io.env, home: io.home, cwd: io.cwd })
    if (root !== undefined) walk(agent, root, root, 0)
  }
  return count < most ? { place: hashEnvironment(io), paths } : undefined
}

/** Stores the snapshot in the ledger, so that it always belongs to that ledger. */
export async function storeSnapshot(ledger: Ledger, seen: TranscriptSnapshot | undefined): Promise<void> {
  await ledger.append([], { marks: { [snapshotMark]: seen } })
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

import { createHash } from 'node:crypto'
import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Ledger } from '@remora/ledger'
import type { Io } from '../command/io.ts'
import { version } from '../command/version.ts'
import { remoraHome } from '../home/remora-home.ts'

/**
 * How the agents' folders and files looked when everything in them had been read. As long as they look the same,
 * nothing needs to be read, and not even the knowledge of where agents keep their sessions needs to be loaded.
 */
export interface TranscriptSnapshot {
  /** Whose eyes: another home or other variables lead to other folders. */
  readonly place: string
  /** What each path looked like, '' if it was not there. */
  readonly paths: Readonly<Record<string, string>>
}

export const snapshotMark = 'cli:look'

/** Whether everything the agents wrote is in the ledger. @example if (!(await isFresh(ledger, io))) await importAll(ledger, io) */
export async function isFresh(ledger: Ledger, io: Pick<Io, 'env' | 'home'>): Promise<boolean> {
  const look = (await ledger.marks(snapshotMark)).get(snapshotMark) as TranscriptSnapshot | undefined
  if (look?.place !== hashEnvironment(io)) return false
  for (const path in look.paths) if (look.paths[path] !== toStamp(readStats(path))) return false
  return true
}

/** Whether hooks have told something that nobody has read yet. A look into a few folders, most of them empty. */
export function hasSpooled(io: Pick<Io, 'env' | 'home'>): boolean {
  const spool = join(remoraHome(io), 'spool')
  return namesIn(spool).some(
    (shard) => /^\d+$/.test(shard) && namesIn(join(spool, shard)).some((name) => name.endsWith('.ready')),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Everything that could lead an agent, or the reading of its files, elsewhere. */
export function hashEnvironment({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const variables = Object.keys(env)
    .filter((name) => /GEMINI|CLAUDE|CODEX|OPENCODE|KIRO|XDG|APPDATA|^HOME$|USERPROFILE/.test(name))
    .sort()
    .map((name) => [name, env[name]])
  return createHash('sha256')
    .update(JSON.stringify([version, home, variables]))
    .digest('base64url')
    .slice(0, 16)
}

export function readStats(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

/** A folder has the time of its last new or lost entry; a file is another one if any of these differ. */
export function toStamp(stats: BigIntStats | undefined): string {
  if (!stats) return ''
  return stats.isDirectory() ? `${stats.mtimeNs}` : `${stats.size}:${stats.mtimeNs}:${stats.ino}`
}

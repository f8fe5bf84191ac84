import { createHash } from 'node:crypto'
import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Ledger } from '@remora/ledger'
import { profiles } from '@remora/sdk/profiles'
import type { Io } from '../command/io.ts'
import { version } from '../command/version.ts'
import { remoraHome } from '../home/remora-home.ts'

/**
 * Times and sizes of the agents' folders and files after the last import. While they are unchanged, nothing must be
 * read, and the SDK must not be loaded.
 */
export interface TranscriptSnapshot {
  /** Hash of the home and the variables that choose the folders. */
  readonly place: string
  /** The stamp of each path, '' if it does not exist. */
  readonly paths: Readonly<Record<string, string>>
}

export const snapshotMark = 'cli:look'

/**
 * Whether everything that the agents wrote is in the ledger.
 *
 * @example if (!(await isFresh(ledger, io))) await importAll(ledger, io)
 */
export async function isFresh(ledger: Ledger, io: Pick<Io, 'env' | 'home'>): Promise<boolean> {
  const look = (await ledger.marks(snapshotMark)).get(snapshotMark) as TranscriptSnapshot | undefined
  if (look?.place !== hashEnvironment(io)) return false
  for (const path in look.paths) if (look.paths[path] !== toStamp(readStats(path))) return false
  return true
}

/** Whether the hook spool has payloads that are not imported. */
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

/** Variables that choose the folders of several agents. */
const common = /XDG|APPDATA|^HOME$|USERPROFILE/
const prefixes = profiles.flatMap(({ id, variables }) => variables ?? [id.toUpperCase().replaceAll('-', '_')])

/** Hashes everything that affects where agents store sessions and how they are read. */
export function hashEnvironment({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const variables = Object.keys(env)
    .filter((name) => common.test(name) || prefixes.some((prefix) => name.startsWith(prefix)))
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

/** A folder's time changes with its entries; a file's size, time or inode with its content. */
export function toStamp(stats: BigIntStats | undefined): string {
  if (!stats) return ''
  return stats.isDirectory() ? `${stats.mtimeNs}` : `${stats.size}:${stats.mtimeNs}:${stats.ino}`
}

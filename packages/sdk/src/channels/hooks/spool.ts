import {
  type BigIntStats,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

const shards = 64
/** The most files in one shard, as in the hook script: two per entry. */
const mostFiles = 128

/** An unread hook payload. */
export interface SpoolEntry {
  readonly file: string
  /** Its name and time, which are unique together. */
  readonly id: string
  readonly agent: string
  readonly size: number
  /** When it was written, in milliseconds. */
  readonly at: number
}

/** The content of the spool. */
export interface SpoolBatch {
  /** Complete entries, in the order in which they were written. */
  readonly entries: readonly SpoolEntry[]
  /** Incomplete payloads: being written, or left behind by a hook that was killed. */
  readonly unfinished: readonly Omit<SpoolEntry, 'agent'>[]
}

/** The folder in which hooks store payloads. @example spoolFolder('/home/me/.remora') */
export function spoolFolder(remoraHome: string): string {
  return join(remoraHome, 'spool')
}

/**
 * Creates the folders for the hook script, so that it need not start mkdir.
 *
 * @example createSpool('/home/me/.remora')
 */
export function createSpool(remoraHome: string): void {
  const folder = spoolFolder(remoraHome)
  for (let shard = 0; shard < shards; shard++)
    mkdirSync(join(folder, `${shard}`), { recursive: true, mode: 0o700 })
}

/** Writes a payload to the spool like the hook script. @example writeToSpool(remoraHome, 'gemini', '{…}') */
export function writeToSpool(remoraHome: string, agent: string, payload: string): void {
  const shard = join(spoolFolder(remoraHome), `${process.pid % shards}`)
  mkdirSync(shard, { recursive: true, mode: 0o700 })
  if (readdirSync(shard).length >= mostFiles)
    throw new RemoraError('conflict', `The spool in ${spoolFolder(remoraHome)} is full`, {
      hint: 'Read what is in it: remora ingest --spool',
    })
  for (let count = 0; ; count++) {
    const file = join(shard, `${agent}.${process.pid}.${count}`)
    const handle = openNew(file)
    if (handle === undefined) continue
    try {
      writeSync(handle, payload)
    } finally {
      closeSync(handle)
    }
    writeFileSync(`${file}.ready`, '', { mode: 0o600 })
    return
  }
}

function openNew(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

/** Reads the spool. A missing spool is empty. @example scanSpool(remoraHome).entries.length */
export function scanSpool(remoraHome: string): SpoolBatch {
  const folder = spoolFolder(remoraHome)
  const entries: (SpoolEntry & { readonly time: bigint })[] = []
  const unfinished: Omit<SpoolEntry, 'agent'>[] = []
  for (const shard of namesIn(folder)) {
    if (!/^\d+$/.test(shard)) continue
    const names = new Set(namesIn(join(folder, shard)))
    for (const name of names) {
      const file = join(folder, shard, name)
      if (name.endsWith('.ready')) {
        const payload = file.slice(0, -'.ready'.length)
        // Its payload was taken by one who could not take this away any more. A list of names may miss what comes while
        // it is made.
        if (!names.has(basename(payload)) && !existsSync(payload))
          unfinished.push({ file, id: name, size: 0, at: 0 })
        continue
      }
      const stats = statFile(file)
      if (!stats?.isFile()) continue
      const at = Number(stats.mtimeMs)
      const size = Number(stats.size)
      const agent = /^(.+)\.\d+\.\d+$/.exec(name)?.[1] ?? name
      const id = `${name}.${stats.mtimeNs}`
      if (names.has(`${name}.ready`)) entries.push({ file, id, agent, size, at, time: stats.mtimeNs })
      else unfinished.push({ file, id, size, at })
    }
  }
  entries.sort((a, b) => (a.time === b.time ? (a.id < b.id ? -1 : 1) : a.time < b.time ? -1 : 1))
  return { entries, unfinished }
}

/**
 * Counts the payloads that hooks dropped because the spool or the disk was full.
 *
 * @example refusedPayloads(remoraHome) // 0
 */
export function refusedPayloads(remoraHome: string): number {
  return Number(statFile(join(spoolFolder(remoraHome), 'refused'))?.size ?? 0)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function statFile(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

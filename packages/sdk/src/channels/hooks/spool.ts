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
/** As much of one shard as the hook script fills: two files for each entry. */
const mostFiles = 128

/** Something that a hook was told, and nobody has read yet. */
export interface SpoolEntry {
  readonly file: string
  /** Its name and time: no other entry ever has both. */
  readonly id: string
  readonly agent: string
  readonly size: number
  /** When it was written, in milliseconds. */
  readonly at: number
}

/** What lies in the spool. */
export interface SpoolLook {
  /** What is complete, in the order in which it was told. */
  readonly entries: readonly SpoolEntry[]
  /** Payloads that are not complete: being written now, or left behind by a hook that was ended. */
  readonly unfinished: readonly Omit<SpoolEntry, 'agent'>[]
}

/** Where hooks put what they are told. @example spoolFolder('/home/me/.remora') */
export function spoolFolder(remoraHome: string): string {
  return join(remoraHome, 'spool')
}

/** Makes the folders that the hook expects; it would have to start a process for each. */
export function makeSpool(remoraHome: string): void {
  const folder = spoolFolder(remoraHome)
  for (let shard = 0; shard < shards; shard++)
    mkdirSync(join(folder, `${shard}`), { recursive: true, mode: 0o700 })
}

/** Puts a payload into the spool as the hook does. @example putIntoSpool(remoraHome, 'gemini', '{…}') */
export function putIntoSpool(remoraHome: string, agent: string, payload: string): void {
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

/** Everything in the spool. A spool that is not there is an empty one. */
export function lookIntoSpool(remoraHome: string): SpoolLook {
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

/** How many payloads hooks had to refuse so far, because the spool was full or the disk was. */
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

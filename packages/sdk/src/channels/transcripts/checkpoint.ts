import { type BigIntStats, readSync, statSync } from 'node:fs'
import { computeDigest } from '../../events/digest.ts'

/** How far a file was read: enough to go on there later, and to see that it is another file by then. JSON. */
export interface Checkpoint {
  /** Size, time and inode of the file when it was read. Equal means unchanged. */
  readonly stamp: string
  readonly size: number
  /** The end of the last complete record that was read. */
  readonly offset: number
  /** Digests of the start of the file and of the bytes before the offset. */
  readonly edges?: readonly [head: string, tail: string]
  /** The state of the agent's reader. */
  readonly state?: unknown
}

/** @example toStamp(await stat(path, { bigint: true })) // '4096:1767225600000000000:77' */
export function toStamp(stats: BigIntStats): string {
  return `${stats.size}:${stats.mtimeNs}:${stats.ino}`
}

/**
 * The current stamp of a file; for a database including its write-ahead log.
 *
 * @example currentStamp(file, 'lines')
 */
export function currentStamp(path: string, format: string): string | undefined {
  // Synchronous, because awaiting each of thousands of files takes ten times as long.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stats?.isFile()) return undefined
  if (format !== 'database') return toStamp(stats)
  const log = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false })
  return log ? `${toStamp(stats)}+${toStamp(log)}` : toStamp(stats)
}

const edgeLength = 1024

/** Digests of the start and the end of the part that was read. Synchronous, because the bytes are cached. */
export function readEdges(file: number, offset: number): readonly [string, string] {
  const length = Math.min(edgeLength, offset)
  return [digestAt(file, 0, length), digestAt(file, offset - length, length)]
}

function digestAt(file: number, position: number, length: number): string {
  const bytes = Buffer.alloc(length)
  return computeDigest(bytes.subarray(0, readSync(file, bytes, 0, length, position)))
}

/**
 * Whether a file only grew. A file that changed but has the same size was rewritten in place.
 */
export function hasOnlyGrown(file: number, size: number, since: Checkpoint): boolean {
  if (size <= since.size || since.edges === undefined || since.offset > size) return false
  const [head, tail] = readEdges(file, since.offset)
  return head === since.edges[0] && tail === since.edges[1]
}

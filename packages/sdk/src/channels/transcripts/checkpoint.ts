import { type BigIntStats, readSync, statSync } from 'node:fs'
import { computeDigest } from '../../events/digest.ts'

/** How far a file was read: enough to go on there later, and to see that it is another file by then. JSON. */
export interface Checkpoint {
  /** Size, time and inode when it was read: equal means unchanged. */
  readonly stamp: string
  readonly size: number
  /** The end of the last whole record that was read. */
  readonly offset: number
  /** What stood at the beginning and right before the offset. */
  readonly edges?: readonly [head: string, tail: string]
  /** What the agent's reader remembers. */
  readonly state?: unknown
}

/** @example toStamp(await stat(path, { bigint: true })) // '4096:1767225600000000000:77' */
export function toStamp(stats: BigIntStats): string {
  return `${stats.size}:${stats.mtimeNs}:${stats.ino}`
}

/** The stamp of a file as it is now; of a database together with what was not merged into it yet. */
export function currentStamp(path: string, format: string): string | undefined {
  // One of thousands of files: to wait for each takes ten times as long.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stats?.isFile()) return undefined
  if (format !== 'database') return toStamp(stats)
  const log = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false })
  return log ? `${toStamp(stats)}+${toStamp(log)}` : toStamp(stats)
}

const edgeLength = 1024

/** The edges of what was read of a file, up to an offset. A kilobyte that was just read is not worth waiting for. */
export function readEdges(file: number, offset: number): readonly [string, string] {
  const length = Math.min(edgeLength, offset)
  return [digestAt(file, 0, length), digestAt(file, offset - length, length)]
}

function digestAt(file: number, position: number, length: number): string {
  const bytes = Buffer.alloc(length)
  return computeDigest(bytes.subarray(0, readSync(file, bytes, 0, length, position)))
}

/**
 * Whether a file is what it was, with more behind it. One that has changed and has the same size was rewritten in
 * place.
 */
export function hasOnlyGrown(file: number, size: number, since: Checkpoint): boolean {
  if (size <= since.size || since.edges === undefined || since.offset > size) return false
  const [head, tail] = readEdges(file, since.offset)
  return head === since.edges[0] && tail === since.edges[1]
}

import type { BigIntStats } from 'node:fs'
import { type FileHandle, stat } from 'node:fs/promises'
import { digestOf } from '../../digest.ts'

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

/** @example stampOf(await stat(path, { bigint: true })) // '4096:1767225600000000000:77' */
export function stampOf(stats: BigIntStats): string {
  return `${stats.size}:${stats.mtimeNs}:${stats.ino}`
}

/** The stamp of a file as it is now; of a database together with what was not merged into it yet. */
export async function currentStamp(path: string, format: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  if (!stats?.isFile()) return undefined
  if (format !== 'database') return stampOf(stats)
  const log = await stat(`${path}-wal`, { bigint: true }).catch(() => undefined)
  return log ? `${stampOf(stats)}+${stampOf(log)}` : stampOf(stats)
}

const edgeLength = 1024

/** The edges of what was read of a file, up to an offset. */
export async function edgesOf(handle: FileHandle, offset: number): Promise<readonly [string, string]> {
  const length = Math.min(edgeLength, offset)
  return [await digestAt(handle, 0, length), await digestAt(handle, offset - length, length)]
}

async function digestAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return digestOf(buffer.subarray(0, bytesRead))
}

/**
 * Whether a file is what it was, with more behind it. One that has changed and has the same size was rewritten in
 * place.
 */
export async function hasOnlyGrown(handle: FileHandle, size: number, since: Checkpoint): Promise<boolean> {
  if (size <= since.size || since.edges === undefined || since.offset > size) return false
  const [head, tail] = await edgesOf(handle, since.offset)
  return head === since.edges[0] && tail === since.edges[1]
}

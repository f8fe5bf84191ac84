import type { Ledger } from '@remora/ledger'
import type { Checkpoint } from '@remora/sdk/transcripts'

/** The state of a transcript file in the ledger: the position reached, and its sessions. */
export interface FileMark {
  readonly agent: string
  readonly checkpoint: Checkpoint
  readonly sessions: readonly string[]
  /** When the file was found to be deleted. */
  readonly gone?: number
}

const prefix = 'transcript:'

/** The name of a file's mark. */
export function markName(path: string): string {
  return prefix + path
}

/** The marks of all files, by path. */
export async function loadMarks(ledger: Ledger): Promise<Map<string, FileMark>> {
  const marks = await ledger.marks(prefix)
  return new Map([...marks].map(([name, value]) => [name.slice(prefix.length), value as FileMark]))
}

/** The mark of one file. The cost of loading all of them grows with the number of sessions. */
export async function loadMark(ledger: Ledger, path: string): Promise<FileMark | undefined> {
  const name = markName(path)
  return (await ledger.marks(name)).get(name) as FileMark | undefined
}

import type { Ledger } from '@remora/ledger'
import type { Checkpoint } from '@remora/sdk/transcripts'

/** What the ledger remembers of a file: how far it was read, and which sessions it tells of. */
export interface FileMark {
  readonly agent: string
  readonly checkpoint: Checkpoint
  readonly sessions: readonly string[]
  /** When it was seen that the file is no longer there. */
  readonly gone?: number
}

const prefix = 'transcript:'

/** The name under which a file is remembered. */
export function markName(path: string): string {
  return prefix + path
}

/** Every file that was read, by its path. */
export async function loadMarks(ledger: Ledger): Promise<Map<string, FileMark>> {
  const marks = await ledger.marks(prefix)
  return new Map([...marks].map(([name, value]) => [name.slice(prefix.length), value as FileMark]))
}

/** The mark of one file. Loading all of them costs as much as there are sessions. */
export async function loadMark(ledger: Ledger, path: string): Promise<FileMark | undefined> {
  const name = markName(path)
  return (await ledger.marks(name)).get(name) as FileMark | undefined
}

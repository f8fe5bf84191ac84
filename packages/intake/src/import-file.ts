import { existsSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { type Agent, type Damage, readTranscript } from '@remora/sdk/transcripts'
import type { FileMark } from './marks.ts'
import type { Pending } from './pending.ts'

export interface ImportFileOptions {
  readonly mark?: FileMark | undefined
  readonly signal?: AbortSignal
  /** Told which part of the file is done, from 0 to 1. */
  readonly onProgress?: (part: number) => void
}

/** A file that is no transcript at all could tell of millions. */
const mostDamage = 1000

/** Reads what is new in one file. Tells whether the file was there, and what in it could not be read. */
export async function importFile(
  pending: Pending,
  agent: Agent,
  path: string,
  { mark, signal, onProgress }: ImportFileOptions,
): Promise<{ found: boolean; damaged: Damage[] }> {
  const sessions = new Set(mark?.sessions)
  const damaged: Damage[] = []
  let found = false
  // A file that was away is read anew: the ledger may have been told to drop what was in it.
  const since = mark?.gone === undefined ? mark?.checkpoint : undefined
  for await (const batch of readTranscript(agent, path, { since, signal })) {
    found = true
    for (const record of batch.records) for (const event of record.events) sessions.add(event.session)
    const reached = { agent: agent.id, checkpoint: batch.checkpoint, sessions: [...sessions] }
    await pending.add(path, reached, batch.records)
    for (const damage of batch.damaged) if (damaged.length < mostDamage) damaged.push(damage)
    onProgress?.(batch.total === 0 ? 1 : batch.done / batch.total)
    // Files are read without waiting; signals and timers must have their turn.
    await breathe()
    signal?.throwIfAborted()
  }
  // A file that has not changed since its mark gives no batch, and still exists.
  return { found: found || existsSync(path), damaged }
}

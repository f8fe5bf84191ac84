import { existsSync } from 'node:fs'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { type Agent, type Damage, readTranscript } from '@remora/sdk/transcripts'
import type { FileMark } from './marks.ts'
import type { Pending } from './pending.ts'

interface ImportFileOptions {
  readonly mark?: FileMark | undefined
  readonly signal?: AbortSignal
  /** Called with the completed part of the file, from 0 to 1. */
  readonly onProgress?: (part: number) => void
}

/** A file that is not a transcript could have millions of damaged lines. */
const mostDamage = 1000

/** Reads the new part of one file. Returns whether the file exists, and its damaged lines. */
export async function importFile(
  pending: Pending,
  agent: Agent,
  path: string,
  { mark, signal, onProgress }: ImportFileOptions,
): Promise<{ found: boolean; damaged: Damage[] }> {
  const sessions = new Set(mark?.sessions)
  const damaged: Damage[] = []
  let found = false
  // A restored file is read from its start, because the ledger may have deleted its sessions.
  const since = mark?.gone === undefined ? mark?.checkpoint : undefined
  for await (const batch of readTranscript(agent, path, { since, signal })) {
    found = true
    for (const record of batch.records) for (const event of record.events) sessions.add(event.session)
    const reached = { agent: agent.id, checkpoint: batch.checkpoint, sessions: [...sessions] }
    await pending.add(path, reached, batch.records)
    for (const damage of batch.damaged) if (damaged.length < mostDamage) damaged.push(damage)
    onProgress?.(batch.total === 0 ? 1 : batch.done / batch.total)
    // Files are read synchronously, so signals and timers need a chance to run.
    await yieldTurn()
    signal?.throwIfAborted()
  }
  // A file that has not changed since its mark gives no batch, and still exists.
  return { found: found || existsSync(path), damaged }
}

import type { Lease, Ledger } from '@remora/ledger'
import { type Agent, type Damage, readTranscript } from '@remora/sdk/transcripts'
import { type FileMark, markName } from './marks.ts'

export interface ImportFileOptions {
  readonly mark?: FileMark | undefined
  readonly lease?: Lease
  readonly signal?: AbortSignal
  /** Told which part of the file is done, from 0 to 1. */
  readonly onProgress?: (part: number) => void
}

/** Reads what is new in one file. Events and how far they reach are stored together, so a crash loses and doubles nothing. */
export async function importFile(
  ledger: Ledger,
  agent: Agent,
  path: string,
  { mark, lease, signal, onProgress }: ImportFileOptions,
): Promise<{ events: number; damaged: Damage[]; mark: FileMark | undefined }> {
  const sessions = new Set(mark?.sessions)
  const damaged: Damage[] = []
  let events = 0
  let reached = mark
  for await (const batch of readTranscript(agent, path, { since: mark?.checkpoint, signal })) {
    for (const record of batch.records) for (const event of record.events) sessions.add(event.session)
    reached = { agent: agent.id, checkpoint: batch.checkpoint, sessions: [...sessions] }
    const { added } = await ledger.append(batch.records, {
      marks: { [markName(path)]: reached },
      ...(lease ? { lease } : {}),
    })
    events += added
    damaged.push(...batch.damaged)
    onProgress?.(batch.total === 0 ? 1 : batch.done / batch.total)
  }
  return { events, damaged, mark: reached }
}

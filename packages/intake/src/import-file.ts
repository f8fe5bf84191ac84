import { type Agent, type Damage, readTranscript } from '@remora/sdk/transcripts'
import type { FileMark } from './marks.ts'
import type { Pending } from './pending.ts'

export interface ImportFileOptions {
  readonly mark?: FileMark | undefined
  readonly signal?: AbortSignal
  /** Told which part of the file is done, from 0 to 1. */
  readonly onProgress?: (part: number) => void
}

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
  for await (const batch of readTranscript(agent, path, { since: mark?.checkpoint, signal })) {
    found = true
    for (const record of batch.records) for (const event of record.events) sessions.add(event.session)
    const reached = { agent: agent.id, checkpoint: batch.checkpoint, sessions: [...sessions] }
    await pending.add(path, reached, batch.records)
    damaged.push(...batch.damaged)
    onProgress?.(batch.total === 0 ? 1 : batch.done / batch.total)
  }
  return { found, damaged }
}

import { statSync } from 'node:fs'
import type { Lease, Ledger } from '@remora/ledger'
import {
  type Agent,
  type Damage,
  type Place,
  agentsWithTranscripts,
  currentStamp,
  findFiles,
  toPlace,
} from '@remora/sdk/transcripts'
import { markGone } from './archive.ts'
import { importFile } from './import-file.ts'
import { type FileMark, loadMarks } from './marks.ts'
import { Pending } from './pending.ts'

/** Options of `importTranscripts`. */
export interface ImportOptions {
  /** All agents that keep transcripts, by default. */
  readonly agents?: readonly Agent[]
  readonly env?: Place['env']
  readonly home?: string
  readonly lease?: Lease
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
}

/** How far an import is. */
export interface ImportProgress {
  readonly files: number
  readonly totalFiles: number
  readonly bytes: number
  readonly totalBytes: number
}

/** What an import has read. */
export interface ImportReport {
  /** The number of changed files, and of all files. */
  readonly changed: number
  readonly files: number
  readonly events: number
  /** Sessions that were found to be deleted; the ledger keeps them. */
  readonly archived: number
  readonly damaged: readonly Damage[]
}

/**
 * Imports the transcripts of the agents into the ledger. Unchanged files are not read again, and sessions that an agent
 * has deleted stay, marked as archived.
 *
 * @example await importTranscripts(ledger, { onProgress: ({ bytes, totalBytes }) => … })
 */
export async function importTranscripts(ledger: Ledger, options: ImportOptions = {}): Promise<ImportReport> {
  const place = toPlace(options)
  const marks = await loadMarks(ledger)
  const found: Found[] = []
  for (const agent of options.agents ?? agentsWithTranscripts())
    for (const path of await findFiles(agent, place)) found.push({ agent, path, ...readSize(path) })
  const changed = selectChanged(found, marks)
  const totalBytes = changed.reduce((sum, { unread }) => sum + unread, 0)
  const report = {
    changed: changed.length,
    files: found.length,
    events: 0,
    archived: 0,
    damaged: [] as Damage[],
  }
  const pending = new Pending(ledger, options.lease)
  let bytes = 0
  for (const [index, { agent, path, unread, mark }] of changed.entries()) {
    options.signal?.throwIfAborted()
    const before = bytes
    const reportPart = (part: number): void =>
      options.onProgress?.({
        files: index,
        totalFiles: changed.length,
        bytes: before + Math.round(part * unread),
        totalBytes,
      })
    const { damaged } = await importFile(pending, agent, path, { ...options, mark, onProgress: reportPart })
    for (const each of damaged) report.damaged.push(each)
    bytes += unread
  }
  await pending.flush()
  report.events = pending.added
  options.onProgress?.({ files: changed.length, totalFiles: changed.length, bytes, totalBytes })
  report.archived = await markGone(ledger, options.agents ?? agentsWithTranscripts(), place, options)
  return report
}

interface Found {
  readonly agent: Agent
  readonly path: string
  readonly size: number
  readonly changedAt: number
}

/** The changed files, the oldest first, so that the ledger has the latest events at its end. */
function selectChanged(found: readonly Found[], marks: ReadonlyMap<string, FileMark>) {
  const changed: (Found & { readonly unread: number; readonly mark: FileMark | undefined })[] = []
  for (const file of found) {
    const mark = marks.get(file.path)
    if (mark && !mark.gone && isUnchanged(file, mark)) continue
    changed.push({ ...file, mark, unread: Math.max(0, file.size - (mark?.checkpoint.offset ?? 0)) })
  }
  return changed.sort((a, b) => a.changedAt - b.changedAt || (a.path < b.path ? -1 : 1))
}

function isUnchanged({ agent, path }: Found, mark: FileMark): boolean {
  return mark.checkpoint.stamp === currentStamp(path, agent.transcripts!.format(path))
}

function readSize(path: string): { size: number; changedAt: number } {
  const stats = statSync(path, { throwIfNoEntry: false })
  return { size: stats?.size ?? 0, changedAt: stats?.mtimeMs ?? 0 }
}

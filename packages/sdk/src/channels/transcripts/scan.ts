import { statSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Agent, DatabasePart, Place } from '../../agent.ts'
import { type Checkpoint, currentStamp } from './checkpoint.ts'
import { openDatabase } from './database.ts'
import { findFiles } from './find-files.ts'
import { readTranscript } from './read-transcript.ts'
import { ScanHelper } from './scan-helper.ts'
import { skimLines } from './skim-lines.ts'
import { Summary, type SummaryData } from './summary.ts'

/** What one file tells, as far as it was read. */
export class Scan {
  checkpoint: Checkpoint | undefined
  /** By session id; a database holds many. */
  readonly summaries = new Map<string, Summary>()
  readonly agent: string
  readonly path: string

  constructor(agent: string, path: string) {
    this.agent = agent
    this.path = path
  }

  summary(session: string): Summary {
    let summary = this.summaries.get(session)
    if (!summary) {
      summary = new Summary(this.agent, session)
      summary.files.push(this.path)
      this.summaries.set(session, summary)
    }
    return summary
  }

  /** As plain data, to be sent between threads. */
  data(): ScanData {
    const { path, checkpoint } = this
    return { path, checkpoint, summaries: [...this.summaries.values()].map((summary) => summary.data()) }
  }

  static from(agent: string, { path, checkpoint, summaries }: ScanData): Scan {
    const scan = new Scan(agent, path)
    scan.checkpoint = checkpoint
    for (const data of summaries) scan.summaries.set(data.id, Summary.from(data))
    return scan
  }
}

export interface ScanData {
  readonly path: string
  readonly checkpoint: Checkpoint | undefined
  readonly summaries: readonly SummaryData[]
}

/** Every session of one look, and whether it is what the look before it gave. */
export interface Scanned {
  readonly summaries: readonly Summary[]
  readonly unchanged: boolean
}

/** Files that did not change since are not read again by the same process, and of those that grew only what is new. */
const scans = new Map<string, Scan>()

/** What the last look at a set of files gave. */
const looks = new Map<string, { readonly scans: readonly Scan[]; readonly summaries: readonly Summary[] }>()

/** Every session of an agent, joined over its files. @example await scanAgent(gemini, place) */
export async function scanAgent(agent: Agent, place: Place): Promise<Scanned> {
  const { scans: found, changed } = await scanAll(agent, await findFiles(agent, place))
  const key = `${agent.id} ${agent.transcripts!.root(place)}`
  const last = looks.get(key)
  const same = last?.scans.length === found.length && found.every((scan, index) => scan === last.scans[index])
  if (!changed && same) return { summaries: last.summaries, unchanged: true }
  const summaries = join(agent, found)
  looks.set(key, { scans: found, summaries })
  return { summaries, unchanged: false }
}

export async function scanFiles(agent: Agent, files: readonly string[]): Promise<Summary[]> {
  return join(agent, (await scanAll(agent, files)).scans)
}

function join(agent: Agent, found: readonly Scan[]): Summary[] {
  const byId = new Map<string, Summary[]>()
  for (const { summaries } of found) {
    for (const [id, summary] of summaries) {
      const known = byId.get(id)
      if (known) known.push(summary)
      else byId.set(id, [summary])
    }
  }
  return [...byId].map(([id, summaries]) => {
    if (summaries.length === 1) return summaries[0]!
    const joined = new Summary(agent.id, id)
    // The later file has the last word.
    for (const summary of summaries.sort((a, b) => a.updatedAt - b.updatedAt)) joined.merge(summary)
    return joined
  })
}

/** How long others may have to wait for us. */
const breathMs = 20
/** From here on a second thread is worth its start. */
const muchBytes = 32 * 1024 * 1024

async function scanAll(agent: Agent, files: readonly string[]): Promise<{ scans: Scan[]; changed: boolean }> {
  const keyOf = (path: string): string => `${agent.id} ${path}`
  const stale = files.filter((path) => {
    const known = scans.get(keyOf(path))?.checkpoint
    return known === undefined || known.stamp !== currentStamp(path, agent.transcripts!.format(path))
  })
  const fresh = stale.filter((path) => !scans.has(keyOf(path)))
  await using helper = sizeOf(fresh) > muchBytes ? ScanHelper.start(agent, fresh) : undefined
  let began = performance.now()
  for (let index = 0; index < stale.length; index++) {
    const path = stale[index]!
    if (helper?.hasTaken(path)) continue
    scans.set(keyOf(path), await scanFile(agent, path, scans.get(keyOf(path))))
    if (performance.now() - began < breathMs) continue
    await breathe()
    began = performance.now()
  }
  for (const data of (await helper?.results()) ?? []) scans.set(keyOf(data.path), Scan.from(agent.id, data))
  // What a helper that failed has taken and not given.
  for (const path of stale) {
    const key = keyOf(path)
    if (!scans.has(key)) scans.set(key, await scanFile(agent, path, undefined))
  }
  return { scans: files.map((path) => scans.get(keyOf(path))!), changed: stale.length > 0 }
}

/** From a database single sessions can be deleted. */
async function dropDeleted(part: DatabasePart, path: string, scan: Scan): Promise<void> {
  try {
    using database = await openDatabase(path)
    const present = new Set([...part.sessions(database)].map(({ id }) => id))
    for (const id of scan.summaries.keys()) if (!present.has(id)) scan.summaries.delete(id)
  } catch {
    // What cannot be read was not deleted.
  }
}

function sizeOf(files: readonly string[]): number {
  let bytes = 0
  for (const path of files) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

/** Reads a file, or what was added to one that is known. */
export async function scanFile(agent: Agent, path: string, known: Scan | undefined): Promise<Scan> {
  const scan = known ?? new Scan(agent.id, path)
  if (agent.transcripts!.format(path) === 'lines') skimLines(agent, path, scan)
  else {
    for await (const { records, checkpoint } of readTranscript(agent, path, { since: scan.checkpoint })) {
      for (const { events } of records) for (const event of events) scan.summary(event.session).add(event)
      scan.checkpoint = checkpoint
    }
    if (agent.transcripts!.database) await dropDeleted(agent.transcripts!.database, path, scan)
  }
  return scan
}

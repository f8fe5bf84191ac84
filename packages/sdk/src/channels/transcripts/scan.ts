import { setImmediate as breathe } from 'node:timers/promises'
import type { Agent, DatabasePart, Place } from '../../contract/agent.ts'
import { type Checkpoint, currentStamp } from './checkpoint.ts'
import { openDatabase } from './database.ts'
import { findFiles } from './find-files.ts'
import { readTranscript } from './read-transcript.ts'
import { skimLines } from './skim-lines.ts'
import { Summary } from './summary.ts'

/** The summaries of one file, as far as it was read. */
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
}

/** Cache per process: unchanged files are not read again, and of grown files only the new part. */
const scans = new Map<string, Scan>()

/** The last list of a set of files. Any read of a file replaces its scan's checkpoint. */
const lists = new Map<
  string,
  {
    readonly scans: readonly Scan[]
    readonly checkpoints: readonly (Checkpoint | undefined)[]
    readonly summaries: readonly Summary[]
  }
>()

/**
 * Lists the sessions of an agent, merged across files. If nothing has changed since the last scan, it is the same array.
 *
 * @example await scanAgent(gemini, place)
 */
export async function scanAgent(agent: Agent, place: Place): Promise<readonly Summary[]> {
  const found = await scanAll(agent, await findFiles(agent, place))
  const key = `${agent.id} ${agent.transcripts!.root(place)}`
  const last = lists.get(key)
  // A file may have been read since by `scanFiles`, so that it is unchanged and the list is not.
  const isSame =
    last?.scans.length === found.length &&
    found.every((scan, index) => scan === last.scans[index] && scan.checkpoint === last.checkpoints[index])
  if (isSame) return last.summaries
  const summaries = join(agent, found)
  lists.set(key, { scans: found, checkpoints: found.map(({ checkpoint }) => checkpoint), summaries })
  return summaries
}

export async function scanFiles(agent: Agent, files: readonly string[]): Promise<Summary[]> {
  return join(agent, await scanAll(agent, files))
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
    // The later file takes precedence.
    for (const summary of summaries.sort((a, b) => a.updatedAt - b.updatedAt)) joined.merge(summary)
    return joined
  })
}

/** How long a scan may block the event loop. */
const breathMs = 20

async function scanAll(agent: Agent, files: readonly string[]): Promise<Scan[]> {
  const done: Scan[] = []
  let began = performance.now()
  for (const path of files) {
    const key = `${agent.id} ${path}`
    const known = scans.get(key)
    const fresh =
      known?.checkpoint !== undefined &&
      known.checkpoint.stamp === currentStamp(path, agent.transcripts!.format(path))
    const scan = fresh ? known : await scanFile(agent, path, known).catch(() => new Scan(agent.id, path))
    scans.set(key, scan)
    done.push(scan)
    if (performance.now() - began < breathMs) continue
    await breathe()
    began = performance.now()
  }
  return done
}

/** Single sessions can be deleted from a database. */
async function dropDeleted(part: DatabasePart, path: string, scan: Scan): Promise<void> {
  try {
    using database = await openDatabase(path)
    const present = new Set([...part.sessions(database)].map(({ id }) => id))
    for (const id of scan.summaries.keys()) if (!present.has(id)) scan.summaries.delete(id)
  } catch {
    // An unreadable file was not deleted.
  }
}

/** Reads a file, or what was added to a known file. */
async function scanFile(agent: Agent, path: string, known: Scan | undefined): Promise<Scan> {
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

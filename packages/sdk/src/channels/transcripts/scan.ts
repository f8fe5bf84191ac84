import { setImmediate as breathe } from 'node:timers/promises'
import type { Agent, Place } from '../../agent.ts'
import { type Checkpoint, currentStamp } from './checkpoint.ts'
import { findFiles } from './find-files.ts'
import { readTranscript } from './read-transcript.ts'
import { skimLines } from './skim-lines.ts'
import { Summary } from './summary.ts'

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
}

/** Files that did not change since are not read again by the same process, and of those that grew only what is new. */
const scans = new Map<string, Scan>()

/** Every session of an agent, joined over its files. @example await scanAgent(gemini, place) */
export async function scanAgent(agent: Agent, place: Place): Promise<Summary[]> {
  return scanFiles(agent, await findFiles(agent, place))
}

export async function scanFiles(agent: Agent, files: readonly string[]): Promise<Summary[]> {
  const found = new Map<string, Summary[]>()
  for (const { summaries } of await scanAll(agent, files)) {
    for (const [id, summary] of summaries) {
      const known = found.get(id)
      if (known) known.push(summary)
      else found.set(id, [summary])
    }
  }
  return [...found].map(([id, summaries]) => {
    if (summaries.length === 1) return summaries[0]!
    const joined = new Summary(agent.id, id)
    for (const summary of summaries) joined.merge(summary)
    return joined
  })
}

/** How long others may have to wait for us. */
const breathMs = 20

async function scanAll(agent: Agent, files: readonly string[]): Promise<Scan[]> {
  const done: Scan[] = []
  let began = performance.now()
  for (const path of files) {
    done.push(await scanFile(agent, path))
    if (performance.now() - began < breathMs) continue
    await breathe()
    began = performance.now()
  }
  return done
}

async function scanFile(agent: Agent, path: string): Promise<Scan> {
  const key = `${agent.id} ${path}`
  const format = agent.transcripts!.format(path)
  let scan = scans.get(key)
  if (scan?.checkpoint && scan.checkpoint.stamp === currentStamp(path, format)) return scan
  scan ??= new Scan(agent.id, path)
  if (format === 'lines') skimLines(agent, path, scan)
  else {
    for await (const { records, checkpoint } of readTranscript(agent, path, { since: scan.checkpoint })) {
      for (const { events } of records) for (const event of events) scan.summary(event.session).add(event)
      scan.checkpoint = checkpoint
    }
  }
  scans.set(key, scan)
  return scan
}

import type { Agent, Place } from '../../agent.ts'
import { type Checkpoint, currentStamp } from './checkpoint.ts'
import { findFiles } from './find-files.ts'
import { readTranscript } from './read-transcript.ts'
import { Summary } from './summary.ts'

/** What one file tells, as far as it was read. */
interface Scan {
  checkpoint: Checkpoint
  /** By session id; a database holds many. */
  readonly summaries: Map<string, Summary>
}

/** Files that did not change since are not read again by the same process, and of those that grew only what is new. */
const scans = new Map<string, Scan>()

/** Every session of an agent, joined over its files. @example await scanAgent(gemini, place) */
export async function scanAgent(agent: Agent, place: Place): Promise<Summary[]> {
  const files = await findFiles(agent, place)
  return scanFiles(agent, files)
}

export async function scanFiles(agent: Agent, files: readonly string[]): Promise<Summary[]> {
  const found = new Map<string, Summary[]>()
  for (const path of files) {
    const { summaries } = await scanFile(agent, path)
    for (const [id, summary] of summaries) found.set(id, [...(found.get(id) ?? []), summary])
  }
  return [...found].map(([id, summaries]) => {
    if (summaries.length === 1) return summaries[0]!
    const joined = new Summary(agent.id, id)
    for (const summary of summaries) joined.merge(summary)
    return joined
  })
}

async function scanFile(agent: Agent, path: string): Promise<Scan> {
  const key = `${agent.id} ${path}`
  const known = scans.get(key)
  if (known) {
    const stamp = await currentStamp(path, agent.transcripts!.format(path))
    if (stamp === known.checkpoint.stamp) return known
  }
  const scan: Scan = known ?? { checkpoint: { stamp: '', size: 0, offset: 0 }, summaries: new Map() }
  for await (const batch of readTranscript(agent, path, { since: known?.checkpoint, skim: true })) {
    for (const { events } of batch.records) {
      for (const event of events) {
        let summary = scan.summaries.get(event.session)
        if (!summary) {
          summary = new Summary(agent.id, event.session)
          summary.files.push(path)
          scan.summaries.set(event.session, summary)
        }
        summary.add(event)
      }
    }
    scan.checkpoint = batch.checkpoint
  }
  scans.set(key, scan)
  return scan
}

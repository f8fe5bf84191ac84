import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError, type Event } from '@remora/protocol/plain'
import type { LostSession, Place, Restoration } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { joinLines, groupByTranscript, collectRawLines } from '../../dialects/raw-lines.ts'
import { claudeFolder } from './home.ts'

/** The CLI deletes what was not used for thirty days, with the sub-agents of it. */
export async function restore(place: Place, { session, cwd, events }: LostSession): Promise<Restoration> {
  const root = join(claudeFolder(place), 'projects')
  const intact = await find(root, session)
  if (intact !== undefined) return { files: [], damaged: [], intact }
  const tellers = groupByTranscript(events)
  const main = tellers.get('') ?? []
  const lines = collectRawLines(main).flat()
  // A session stays where it began, also when it goes to work elsewhere.
  const project = beganIn(main) ?? cwd
  if (lines.length === 0 || project === undefined)
    throw new RemoraError('not_found', `The lines of session ${session} are not kept`, {
      hint: 'remora import keeps what there is, before the CLI deletes it.',
    })
  const folder = join(root, project.replace(/[^a-zA-Z0-9]/g, '-'))
  const files = [{ path: join(folder, `${session}.jsonl`), text: joinLines(lines) }]
  for (const [id, told] of tellers) {
    if (id === '') continue
    const path = join(folder, session, 'subagents', `agent-${id}.jsonl`)
    if (!(await stat(path).catch(() => undefined)))
      files.push({ path, text: joinLines(collectRawLines(told).flat()) })
  }
  return { files, damaged: [], cwd: project }
}

async function find(root: string, session: string): Promise<string | undefined> {
  for (const project of await readdir(root).catch(() => [])) {
    const path = join(root, project, `${session}.jsonl`)
    if ((await stat(path).catch(() => undefined))?.size) return path
  }
  return undefined
}

function beganIn(events: readonly Event[]): string | undefined {
  for (const { raw } of events) {
    const cwd = asString(asRecord(raw)?.['cwd'])
    if (cwd !== undefined) return cwd
  }
  return undefined
}

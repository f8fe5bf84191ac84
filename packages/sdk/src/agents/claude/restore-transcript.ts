import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError, type Event } from '@remora/protocol/plain'
import type { LostSession, Place, Restoration } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { joinLines, groupByTranscript, collectRawLines } from '../../dialects/raw-lines.ts'
import { getClaudeFolder } from './home.ts'

/** Restores a session that the CLI deleted, with its sub-agents. It deletes sessions not used for thirty days. */
export async function restore(place: Place, { session, cwd, events }: LostSession): Promise<Restoration> {
  const root = join(getClaudeFolder(place), 'projects')
  const intact = await find(root, session)
  if (intact !== undefined) return { files: [], damaged: [], intact }
  const transcripts = groupByTranscript(events)
  const main = transcripts.get('') ?? []
  const lines = collectRawLines(main).flat()
  // A transcript stays in the project of its first folder, also when the session changes the folder.
  const project = getFirstFolder(main) ?? cwd
  if (lines.length === 0 || project === undefined)
    throw new RemoraError('not_found', `The lines of session ${session} are not kept`, {
      hint: 'remora import keeps what there is, before the CLI deletes it.',
    })
  const folder = join(root, project.replace(/[^a-zA-Z0-9]/g, '-'))
  const files = [{ path: join(folder, `${session}.jsonl`), text: joinLines(lines) }]
  for (const [id, own] of transcripts) {
    if (id === '') continue
    const path = join(folder, session, 'subagents', `agent-${id}.jsonl`)
    if (!(await stat(path).catch(() => undefined)))
      files.push({ path, text: joinLines(collectRawLines(own).flat()) })
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

function getFirstFolder(events: readonly Event[]): string | undefined {
  for (const { raw } of events) {
    const cwd = asString(asRecord(raw)?.['cwd'])
    if (cwd !== undefined) return cwd
  }
  return undefined
}

import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { LostSession, Place, Restoration } from '../../contract/agent.ts'
import { defined, asString } from '../../events/fields.ts'
import { groupByTranscript } from '../../dialects/raw-lines.ts'
import { atLeast } from '../../versions/version.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { deletesSessions } from './guard.ts'
import { geminiFolder } from './home.ts'
import { listSessionFiles, readSessionFile, shortId } from './session-files.ts'
import { sessionFolder } from './session-folder.ts'
import { hashProject } from './session-place.ts'
import { type ComposedSession, asDocument, asLines, composeSession, isSpoken } from './session-text.ts'
import { since } from './versions.ts'

const minuteMs = 60_000

/** Restores a session in the format of the installed version, without records that rewind it. */
export async function restore(place: Place, { session, cwd, events }: LostSession): Promise<Restoration> {
  const transcripts = groupByTranscript(events)
  const main = composeSession(transcripts.get('') ?? [])
  const folder = await sessionFolder(place, { cwd, hash: asString(main.about['projectHash']) })
  const project = folder.cwd
  const { intact, damaged } = await present(folder.chats, session)
  if (intact !== undefined) return { files: [], damaged: [], intact, ...defined({ cwd: project }) }
  if (!isSpoken(main))
    throw new RemoraError('not_found', `No messages of session ${session} are stored`, {
      hint: 'remora import keeps what there is, before the CLI deletes it.',
    })
  const settings = await readJsonSettings(join(geminiFolder(place), 'settings.json'))
  // Retention would delete an old session again at the next start.
  const added = deletesSessions(place, settings) ? { lastUpdated: new Date().toISOString() } : {}
  const lines = atLeast(place.version, since.jsonlSessions)
  const text = (composed: ComposedSession): string =>
    (lines ? asLines : asDocument)({ ...composed, header: composed.header ?? createHeader(composed) }, added)
  const createHeader = ({ startedAt }: ComposedSession) => ({
    sessionId: session,
    projectHash: hashProject(project ?? ''),
    startTime: new Date(startedAt).toISOString(),
    kind: 'main',
  })
  const ending = lines ? 'jsonl' : 'json'
  const name = `session-${earlierMinute(main.startedAt)}-${shortId(session)}.${ending}`
  const files = [{ path: join(folder.chats, name), text: text(main) }]
  for (const [id, transcript] of transcripts) {
    if (id === '') continue
    const path = join(folder.chats, session.replace(/[^a-zA-Z0-9_-]/g, '_'), `${id}.${ending}`)
    if ((await readSessionFile(path)) === undefined)
      files.push({ path, text: text(composeSession(transcript)) })
  }
  if (folder.marker) files.push(folder.marker)
  return { files, damaged, ...defined({ cwd: project }) }
}

/** Finds the existing files of a session: an intact one, and those in which the CLI finds no conversation. */
async function present(chats: string, session: string): Promise<{ intact?: string; damaged: string[] }> {
  const damaged: string[] = []
  for (const path of await listSessionFiles(chats, session)) {
    const file = await readSessionFile(path)
    if (file?.id !== session || file.subagent) continue
    if (file.spoken) return { intact: path, damaged: [] }
    damaged.push(path)
  }
  return { damaged }
}

/**
 * The start of the session, moved out of the current minute, in which the CLI would write to the file before reading
 * it.
 */
function earlierMinute(startedAt: number): string {
  const time = Math.min(startedAt, Date.now() - minuteMs)
  return new Date(time).toISOString().slice(0, 16).replace(':', '-')
}

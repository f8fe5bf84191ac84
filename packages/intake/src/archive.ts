import type { Lease, Ledger, SessionKey } from '@remora/ledger'
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { type Agent, type Place, listTranscriptFolders, openDatabase } from '@remora/sdk/transcripts'
import { type FileMark, loadMarks, markName } from './marks.ts'

/**
 * Archives the sessions that an agent has deleted, and restores those that exist again. Only files in the folders of
 * this place are checked, and not those of another home. Returns the number of newly archived sessions.
 */
export async function markGone(
  ledger: Ledger,
  agents: readonly Agent[],
  place: Place,
  { lease }: { readonly lease?: Lease } = {},
): Promise<number> {
  const marks = await loadMarks(ledger)
  const present = new Set<string>()
  const known = new Map<string, SessionKey>()
  const gone: Record<string, FileMark> = {}
  for (const agent of agents) {
    for (const [path, mark] of marks) {
      if (mark.agent !== agent.id) continue
      for (const session of mark.sessions) known.set(toKey(agent.id, session), { agent: agent.id, session })
      if (listTranscriptFolders(agent, place).some((folder) => isBelow(folder, path)) && isGone(path)) {
        if (mark.gone === undefined) gone[markName(path)] = { ...mark, gone: Date.now() }
        continue
      }
      // A deleted file of another place stays deleted until it is found there again.
      if (mark.gone !== undefined && isGone(path)) continue
      for (const session of await listSessions(agent, path, mark)) present.add(toKey(agent.id, session))
    }
  }
  if (Object.keys(gone).length > 0) await ledger.append([], { marks: gone, ...(lease ? { lease } : {}) })
  return archive(ledger, agents, known, present)
}

async function archive(
  ledger: Ledger,
  agents: readonly Agent[],
  known: ReadonlyMap<string, SessionKey>,
  present: ReadonlySet<string>,
): Promise<number> {
  const archived = new Set<string>()
  for (const { id } of agents)
    for (const entry of await ledger.sessions({ agent: id, hidden: true, empty: true }))
      if (entry.archivedAt !== undefined) archived.add(toKey(id, entry.session))
  const lost = [...known].filter(([name]) => !present.has(name) && !archived.has(name)).map(([, key]) => key)
  const back = [...known].filter(([name]) => present.has(name) && archived.has(name)).map(([, key]) => key)
  if (lost.length > 0) await ledger.archive(lost, Date.now())
  if (back.length > 0) await ledger.archive(back, null)
  return lost.length
}

/** The sessions of a file do not change while it exists; from a database single sessions can be deleted. */
async function listSessions(agent: Agent, path: string, mark: FileMark): Promise<readonly string[]> {
  // A database that cannot be read was not deleted.
  return (await listDatabaseSessions(agent, path)) ?? mark.sessions
}

/** The current sessions of a database; undefined if the file is not a database or cannot be read. */
export async function listDatabaseSessions(agent: Agent, path: string): Promise<string[] | undefined> {
  const part = agent.transcripts
  if (part?.format(path) !== 'database') return undefined
  try {
    using database = await openDatabase(path)
    return [...part.database!.sessions(database)].map(({ id }) => id)
  } catch {
    return undefined
  }
}

function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && !below.startsWith('..')
}

/** Whether a file is missing. A file in an unreadable folder may exist. */
function isGone(path: string): boolean {
  try {
    statSync(path)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}

function toKey(agent: string, session: string): string {
  return `${agent} ${session}`
}

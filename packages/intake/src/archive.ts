import type { Lease, Ledger, SessionKey } from '@remora/ledger'
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { type Agent, type Place, foldersOf, openDatabase } from '@remora/sdk/transcripts'
import { type FileMark, loadMarks, markName } from './marks.ts'

/**
 * Marks the sessions that an agent has deleted, and takes the mark from those that it has again. Only files in the
 * folders of this place are judged: those of another home are none of its business. Returns how many sessions are
 * archived now that were not before.
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
      for (const session of mark.sessions) known.set(nameOf(agent.id, session), { agent: agent.id, session })
      if (foldersOf(agent, place).some((folder) => isBelow(folder, path)) && isGone(path)) {
        if (mark.gone === undefined) gone[markName(path)] = { ...mark, gone: Date.now() }
        continue
      }
      // A file of another place that was seen to be gone there is so until it is seen again there.
      if (mark.gone !== undefined && isGone(path)) continue
      for (const session of await sessionsIn(agent, path, mark)) present.add(nameOf(agent.id, session))
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
      if (entry.archivedAt !== undefined) archived.add(nameOf(id, entry.session))
  const lost = [...known].filter(([name]) => !present.has(name) && !archived.has(name)).map(([, key]) => key)
  const back = [...known].filter(([name]) => present.has(name) && archived.has(name)).map(([, key]) => key)
  if (lost.length > 0) await ledger.archive(lost, Date.now())
  if (back.length > 0) await ledger.archive(back, null)
  return lost.length
}

/** A file tells of the same sessions as long as it is there; from a database single ones can be deleted. */
async function sessionsIn(agent: Agent, path: string, mark: FileMark): Promise<readonly string[]> {
  // What cannot be read was not deleted.
  return (await listDatabaseSessions(agent, path)) ?? mark.sessions
}

/** The sessions that a database holds now; undefined if the file is no database, or cannot be read. */
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
  const way = relative(folder, path)
  return way !== '' && !way.startsWith('..')
}

/** Not there, as opposed to not to be seen: a folder that may not be read says nothing of what is in it. */
function isGone(path: string): boolean {
  try {
    statSync(path)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}

function nameOf(agent: string, session: string): string {
  return `${agent} ${session}`
}

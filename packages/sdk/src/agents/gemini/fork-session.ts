import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import { chatFolders, listSessionFiles, readSessionFile, resolveSession, shortId } from './session-files.ts'

/** A copy of a session with its own id, to be continued independently. */
export interface Fork {
  readonly id: string
  /** Removes the copy if it was not continued. */
  discard(): Promise<void>
}

/**
 * Forks a session. The CLI has no fork, but resumes any well-formed session file, so a copy with a new id works.
 * Returns undefined if the session does not exist.
 *
 * @example const fork = await forkSession(place, 'latest')
 */
export async function forkSession(place: Place, wanted: string): Promise<Fork | undefined> {
  const source = await resolveSession(place, wanted)
  if (source === undefined) return undefined
  const id = randomUUID()
  for (const folder of await chatFolders(place)) {
    const found = await Promise.all((await listSessionFiles(folder, source)).map(readSessionFile))
    const real = found
      .filter((file) => file?.spoken && file.id === source)
      .toSorted((left, right) => right!.lastUpdated - left!.lastUpdated)[0]
    if (!real) continue
    const ending = real.path.endsWith('.jsonl') ? '.jsonl' : '.json'
    // The CLI would write its own start into a file of the current minute before reading it.
    const minute = new Date(Date.now() - 60_000).toISOString().slice(0, 16).replace(':', '-')
    const path = join(dirname(real.path), `session-${minute}-${shortId(id)}${ending}`)
    const text = renamed(await readFile(real.path, 'utf8'), ending, id)
    await writeFile(path, text, { mode: 0o600, flag: 'wx' })
    const { size } = await stat(path)
    return {
      id,
      async discard() {
        const now = await stat(path).catch(() => undefined)
        if (now?.size === size) await rm(path, { force: true })
      },
    }
  }
  return undefined
}

/** The same session with another id and the current start time, so that `latest` means the fork. */
function renamed(text: string, ending: '.json' | '.jsonl', id: string): string {
  const startTime = new Date().toISOString()
  const change = (line: string): string => {
    let record
    try {
      record = asRecord(JSON.parse(line))
    } catch {
      return line
    }
    const set = asRecord(record?.['$set'])
    if (typeof record?.['sessionId'] === 'string')
      return JSON.stringify({ ...record, sessionId: id, startTime })
    if (set && ('sessionId' in set || 'startTime' in set))
      return JSON.stringify({ ...record, $set: { ...set, sessionId: id, startTime } })
    return line
  }
  return ending === '.json' ? change(text) : text.split('\n').map(change).join('\n')
}

import { readFileSync, realpathSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@remora/protocol/plain'
import type { Place } from '../../contract/agent.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { getKimiFolder, getSessionsFolder } from './home.ts'

/** The file with the records of a session's main agent, below the session's folder. */
export const wireFile = join('agents', 'main', 'wire.jsonl')

/** Finds the folder of a session. @example await findSessionFolder(place, 'session_2d38e49f-…') */
export async function findSessionFolder(place: Place, session: string): Promise<string | undefined> {
  return (await listFolders(place)).find(({ id }) => id === session)?.folder
}

/** The id of the session in the working directory that was used last. */
export async function findLatestSession(place: Place): Promise<string | undefined> {
  let latest: { readonly id: string; readonly at: number } | undefined
  const cwd = toRealPath(place.cwd)
  for (const { id, folder } of await listFolders(place)) {
    const about = parseRecord(await readFile(join(folder, 'state.json'), 'utf8').catch(() => ''))
    const at = asCount(about?.['updatedAt']) ?? 0
    if (about?.['cwd'] === cwd && about['archived'] !== true && at >= (latest?.at ?? 0)) latest = { id, at }
  }
  return latest?.id
}

async function listFolders(place: Place): Promise<{ id: string; folder: string }[]> {
  const root = getSessionsFolder(place)
  const found = (await readdir(root).catch(() => [])).map(async (project) => {
    const ids = await readdir(join(root, project)).catch(() => [])
    return ids.map((id) => ({ id, folder: join(root, project, id) }))
  })
  return (await Promise.all(found)).flat()
}

/** The records of a session whose type matches, without the large ones that describe its tools. */
export async function readRecords(folder: string, type: RegExp): Promise<AgentRecord[]> {
  const text = await readFile(join(folder, wireFile), 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => type.test(/"type":"([\w.]+)"/.exec(line)?.[1] ?? ''))
  return lines.map(parseRecord).filter((record) => record !== undefined)
}

/**
 * Finds the session that a run starts, since its output names that only in the last line. It is the one that is new in
 * the index, is in the same folder and, if there are several, has the prompt of the run.
 *
 * @example const find = watchForSession(place, 'Hello') // before the start
 */
export function watchForSession(place: Place, prompt: string): () => string | undefined {
  const before = new Set(readIndex(place).map(({ id }) => id))
  const cwd = toRealPath(place.cwd)
  return () => {
    const created = readIndex(place).filter((entry) => entry.cwd === cwd && !before.has(entry.id))
    if (created.length <= 1) return created[0]?.id
    const wanted = `"input":${JSON.stringify([{ type: 'text', text: prompt }])}`
    const [only, ...others] = created.filter(({ folder }) => read(join(folder, wireFile)).includes(wanted))
    return others.length === 0 ? only?.id : undefined
  }
}

function readIndex(place: Place): { id: string; cwd: unknown; folder: string }[] {
  const lines = read(join(getKimiFolder(place), 'session_index.jsonl')).split('\n')
  return lines.flatMap((line) => {
    const entry = parseRecord(line)
    const [id, folder] = [asString(entry?.['sessionId']), asString(entry?.['sessionDir'])]
    return id === undefined || folder === undefined ? [] : [{ id, folder, cwd: entry?.['workDir'] }]
  })
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function parseRecord(text: string): AgentRecord | undefined {
  try {
    return asRecord(parseJson(text))
  } catch {
    return undefined
  }
}

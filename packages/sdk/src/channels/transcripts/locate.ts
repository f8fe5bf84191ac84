import { open, readFile, stat } from 'node:fs/promises'
import { RemoraError, parseJson } from '@remora/protocol/plain'
import type { Agent, Place, TranscriptFormat } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import { openDatabase } from './database.ts'
import { findFiles } from './find-files.ts'
import { readLines } from './read-lines.ts'
import { scanAgent, scanFiles } from './scan.ts'
import type { SessionSummary, Summary } from './summary.ts'

/** A session, its agent and its files. */
export interface Located {
  readonly agent: Agent
  readonly summary: SessionSummary
}

/** Finds a session by its id. File names contain all or part of the id, so usually few files are read. */
export async function locate(
  agents: readonly Agent[],
  place: Place,
  id: string,
): Promise<Located | undefined> {
  if (id === '') return undefined
  const named = id.slice(0, 8)
  for (const agent of agents) {
    const files = await findFiles(agent, place)
    const own = files.filter((path) => path.includes(named))
    const found = pick(agent, await scanFiles(agent, own), id)
    if (!found) continue
    const parts = agent.transcripts?.parts?.(files, found.summary.files[0]!) ?? []
    const all = [...new Set([...own, ...parts])]
    return parts.length === 0 ? found : pick(agent, await scanFiles(agent, all), id)
  }
  for (const agent of agents) {
    const found = pick(agent, await scanAgent(agent, place), id)
    if (found) return found
  }
  return undefined
}

function pick(agent: Agent, summaries: readonly Summary[], id: string): Located | undefined {
  const summary = summaries.find((each) => each.id === id)?.finish()
  return summary && { agent, summary }
}

/**
 * Finds the agent and the format of a file with any path and name.
 *
 * @example (await findAgentByFile(agents(), 'session.jsonl'))?.agent.id
 */
export async function findAgentByFile(
  agents: readonly Agent[],
  path: string,
): Promise<{ readonly agent: Agent; readonly format: TranscriptFormat } | undefined> {
  if (!(await stat(path).catch(() => undefined))?.isFile()) return undefined
  const { format, records } = await readBeginning(path)
  for (const record of records) {
    const agent = agents.find(
      ({ transcripts }) =>
        // A database is not text.
        (transcripts?.database !== undefined) === (format === 'database') && transcripts?.isOwnRecord(record),
    )
    if (agent) return { agent, format }
  }
  return undefined
}

async function readBeginning(path: string) {
  try {
    if (await isDatabase(path)) return { format: 'database' as const, records: await listTables(path) }
    return await firstRecords(path)
  } catch (cause) {
    throw cause instanceof RemoraError
      ? cause
      : new RemoraError('input', `${path} cannot be read`, {
          hint: 'Check that you may read the file.',
          cause,
        })
  }
}

const header = 'SQLite format 3\0'

async function isDatabase(path: string): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer } = await handle.read(Buffer.alloc(header.length), 0, header.length, 0)
    return buffer.toString('latin1') === header
  } finally {
    await handle.close()
  }
}

async function listTables(path: string) {
  using database = await openDatabase(path)
  const names = [...database.rows(`select name from sqlite_master where type = 'table'`)]
  return [{ tables: names.map(({ name }) => name) }]
}

/** Checks several records, because the first ones may be generic or damaged. */
const looked = 50

async function firstRecords(path: string) {
  const handle = await open(path)
  try {
    const records: Readonly<Record<string, unknown>>[] = []
    for (const lines of readLines(handle.fd, 0)) {
      for (const { buffer, start, end } of lines.slice(0, looked)) {
        const record = parse(buffer?.toString('utf8', start, end) ?? '')
        if (record) records.push(record)
      }
      break
    }
    if (records.length > 0) return { format: 'lines' as const, records }
    // One document over many lines.
    const document = parse(await readFile(path, 'utf8'))
    return { format: 'document' as const, records: document ? [document] : [] }
  } finally {
    await handle.close()
  }
}

function parse(text: string) {
  try {
    return asRecord(parseJson(text, 'cut'))
  } catch {
    return undefined
  }
}

import { open, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Agent, Place, TranscriptFormat } from '../../agent.ts'
import { fieldsOf } from '../../fields.ts'
import { openDatabase } from './database.ts'
import { findFiles } from './find-files.ts'
import { readLines } from './read-lines.ts'
import { scanAgent, scanFiles } from './scan.ts'
import type { SessionSummary, Summary } from './summary.ts'

/** A session and where it is kept. */
export interface Located {
  readonly agent: Agent
  readonly summary: SessionSummary
}

/** Finds a session by its id. Files are named after it, in whole or in part, so most often few must be read. */
export async function locate(
  agents: readonly Agent[],
  place: Place,
  id: string,
): Promise<Located | undefined> {
  if (id === '') return undefined
  const named = id.slice(0, 8)
  for (const agent of agents) {
    const files = (await findFiles(agent, place)).filter((path) => path.includes(named))
    const found = pick(agent, await scanFiles(agent, files), id)
    if (found) return found
  }
  for (const agent of agents) {
    const found = pick(agent, (await scanAgent(agent, place)).summaries, id)
    if (found) return found
  }
  return undefined
}

function pick(agent: Agent, summaries: readonly Summary[], id: string): Located | undefined {
  const summary = summaries.find((each) => each.id === id)?.finish()
  return summary && { agent, summary }
}

/** The agent that wrote a file which may lie anywhere. */
export async function recognise(agents: readonly Agent[], path: string): Promise<Agent | undefined> {
  if (!(await stat(path).catch(() => undefined))?.isFile()) return undefined
  const format = await formatOf(path)
  const records = format === 'database' ? await tablesOf(path) : await firstRecords(path)
  for (const record of records) {
    const found = agents.find((agent) => {
      // The name of a bare file may say nothing, but a database is no text.
      const own = agent.transcripts?.format(basename(path))
      return agent.transcripts?.recognises(record) && (own === 'database') === (format === 'database')
    })
    if (found) return found
  }
  return undefined
}

const header = 'SQLite format 3\0'

async function formatOf(path: string): Promise<TranscriptFormat> {
  const handle = await open(path)
  try {
    const { buffer } = await handle.read(Buffer.alloc(header.length), 0, header.length, 0)
    return buffer.toString('latin1') === header ? 'database' : 'lines'
  } finally {
    await handle.close()
  }
}

async function tablesOf(path: string) {
  using database = await openDatabase(path)
  const names = [...database.rows(`select name from sqlite_master where type = 'table'`)]
  return [{ tables: names.map(({ name }) => name) }]
}

/** Some agents begin with records that say little, and a first line may be damaged. */
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
    // One document over many lines.
    if (records.length === 0) records.push(...[parse(await readFile(path, 'utf8'))].filter((each) => !!each))
    return records
  } finally {
    await handle.close()
  }
}

function parse(text: string) {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

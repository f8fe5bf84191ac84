import { link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { type Event, RemoraError } from '@remora/protocol/plain'
import type { Ledger, SessionKey } from '@remora/ledger'
import {
  type Agent,
  type Place,
  type TranscriptsPart,
  agents,
  findFiles,
  toPlace,
} from '@remora/sdk/transcripts'
import { importFile } from './import-file.ts'
import { Pending } from './pending.ts'
import { loadMarks } from './marks.ts'

/** Options of `restoreSession`. */
export interface RestoreOptions {
  readonly env?: Place['env']
  readonly home?: string
  /** The folder of the project, if the session does not contain it. */
  readonly cwd?: string
  /** The version of the CLI that will resume the session, because formats differ. */
  readonly version?: string | undefined
  /** All agents by default. */
  readonly agents?: readonly Agent[]
}

/** What `restoreSession` has written. */
export interface Restored extends SessionKey {
  /** The written files. Empty if there was nothing to restore. */
  readonly files: readonly string[]
  /** The new names of damaged files, which the CLI could not read. */
  readonly setAside: readonly string[]
  /** The file that still contains the session. */
  readonly intact?: string
  /** The folder from which the session can be resumed. */
  readonly cwd?: string
}

type Restoration = Awaited<ReturnType<NonNullable<TranscriptsPart['restore']>>>

/**
 * Writes a session that its CLI has lost, from the records in the ledger. A file that still contains the session is
 * never changed.
 *
 * @example await restoreSession(ledger, { agent: 'gemini', session: id }, { version: '0.61.0' })
 */
export async function restoreSession(
  ledger: Ledger,
  key: SessionKey,
  options: RestoreOptions = {},
): Promise<Restored> {
  const agent = (options.agents ?? agents()).find(({ id }) => id === key.agent)
  const transcripts = agent?.transcripts
  if (!agent || !transcripts?.restore)
    throw new RemoraError('unsupported', `Sessions of ${agent?.title ?? key.agent} cannot be restored yet`, {
      hint: `Its messages are still stored: remora show ${key.session}`,
    })
  const { version } = options
  const place = { ...toPlace(options), ...(version === undefined ? {} : { version }) }
  // Damaged files are imported first, because the ledger may not have all of their content.
  for (const path of await findFiles(agent, place))
    if (path.includes(key.session.slice(0, 8))) await importNow(ledger, agent, path)
  const entry = await ledger.session(key)
  if (!entry) throw notFound(key)
  const cwd = options.cwd === undefined ? entry.cwd : resolve(options.cwd)
  const events = await readTranscriptEvents(ledger, key)
  const missing = await missingPart(ledger, key)
  const restoration = await transcripts
    .restore(place, { session: key.session, cwd, events })
    .catch((error: unknown) => Promise.reject(missing ?? error))
  if (restoration.intact !== undefined) return report(key, restoration, [])
  if (missing) throw missing
  const root = transcripts.root(place)
  const setAside = await write(restoration, root)
  for (const { path } of restoration.files)
    if (transcripts.isSession(relative(root, path))) await importNow(ledger, agent, path)
  await ledger.archive([key], null)
  return report(key, restoration, setAside)
}

/** An error if a part of the session is archived, because a file with the rest would look complete. */
async function missingPart(ledger: Ledger, key: SessionKey): Promise<RemoraError | undefined> {
  const [archive] = (await ledger.months?.archives(key)) ?? []
  const file = archive?.file ?? (ledger.archiveOf && 'this one')
  if (file === undefined) return undefined
  return new RemoraError(
    'unsupported',
    `A part of this session is in an archive (${file}), so it cannot be restored`,
    { hint: `Read its messages: remora show ${key.session}` },
  )
}

function report(key: SessionKey, { files, intact, cwd }: Restoration, setAside: readonly string[]): Restored {
  return {
    agent: key.agent,
    session: key.session,
    files: files.map(({ path }) => path),
    setAside,
    ...(intact === undefined ? {} : { intact }),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

/** All events of a session that come from transcripts, in order. */
async function readTranscriptEvents(ledger: Ledger, session: SessionKey): Promise<Event[]> {
  const events: Event[] = []
  let page = await ledger.read({ session })
  while (page.events.length > 0) {
    for (const { event } of page.events) {
      // Other events come from records that are included anyway.
      if (event.origin.channel === 'transcripts' && (event.raw !== undefined || event.type === 'status'))
        events.push(event)
    }
    page = await ledger.read({ session, after: page.cursor })
  }
  return events
}

/** Writes all files under temporary names before it renames any. */
async function write({ files, damaged }: Restoration, root: string): Promise<string[]> {
  for (const { path } of files)
    if (!damaged.includes(path) && (await stat(path).catch(() => undefined))) throw inTheWay(path)
  const setAside: string[] = []
  const drafts: { draft: string; path: string }[] = []
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.remora-${process.pid}`
      drafts.push({ draft, path })
      await writeFile(draft, text, { mode: 0o600 })
    }
    for (const path of damaged) {
      const name = await freeName(path)
      await rename(path, name)
      setAside.push(name)
    }
    for (const { draft, path } of drafts) await giveName(draft, path)
    return setAside
  } catch (error) {
    if (RemoraError.is(error)) throw error
    throw new RemoraError('config', `The session could not be written: ${(error as Error).message}`, {
      hint: `Check who may write in ${root}.`,
      cause: error,
    })
  } finally {
    for (const { draft } of drafts) await rm(draft, { force: true })
  }
}

/** Renames a file, unless the name is taken. */
async function giveName(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw inTheWay(path)
    // Not every file system has links.
    await rename(draft, path)
  }
}

function inTheWay(path: string): RemoraError {
  return new RemoraError('conflict', `${path} exists already and was not changed`, {
    hint: 'Move it away if you do not need it, and retry.',
  })
}

async function freeName(path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = `${path}.damaged${count === 1 ? '' : `-${count}`}`
    if (!(await stat(name).catch(() => undefined))) return name
  }
}

async function importNow(ledger: Ledger, agent: Agent, path: string): Promise<void> {
  const mark = (await loadMarks(ledger)).get(path)
  const pending = new Pending(ledger)
  await importFile(pending, agent, path, { mark })
  await pending.flush()
}

function notFound({ session }: SessionKey): RemoraError {
  return new RemoraError('not_found', `The ledger has no session ${session}`, {
    hint: 'remora sessions lists what it has; remora import brings in what the agents have.',
  })
}

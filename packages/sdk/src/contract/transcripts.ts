import type { Event, EventRecord, Usage } from '@remora/protocol/plain'
import type { EventMaker } from '../events/event-maker.ts'
import type { AgentRecord } from '../events/read-record.ts'
import type { Agent, Invocation, Place, Problem } from './agent.ts'

/** Where an agent stores its sessions, how to read them, and how to keep them safe. */
export interface TranscriptsPart {
  /** The root folder of the CLI's sessions. */
  root(place: Place): string
  /** A second root for sessions that the user archived in the CLI. */
  archiveRoot?(place: Place): string
  /** Whether a file below a root is a session, or part of one. */
  isSession(relativePath: string): boolean
  /** The format of a file: one record per line, one document, or a database of many sessions. */
  format(path: string): TranscriptFormat
  /** Whether a file outside the roots belongs to this agent, by its first record or, for a database, its tables. */
  isOwnRecord(record: AgentRecord): boolean
  /** Reads the records of a file of lines, or the one record of a document. */
  reader?(maker: EventMaker, file: TranscriptFile): TranscriptReader
  /** Reads a database. */
  readonly database?: DatabasePart
  /** A fast reader for session lists, which need little of most lines. Undefined if the file needs the full reader. */
  summaryReader?(path: string): SummaryReader | undefined
  /** Files that may be parts of the session in `main`, although their names lack its id. */
  parts?(files: readonly string[], main: string): string[]
  /** Whether a file belongs to a project, for files that do not record their folder. */
  belongs?(path: string, cwd: string): boolean
  /** The command line that resumes a session in a terminal. */
  resume(session: string): Invocation
  /** The setting by which the CLI deletes old sessions, and the change that turns it off; undefined if it is off. */
  guard?(place: Place): Promise<Guard | undefined>
  /** The changed setting, if it is in effect, by whomever it was set. */
  findAppliedGuard?(place: Place): Promise<Pick<Guard, 'file' | 'change'> | undefined>
  /** Protects a session that is about to be resumed from being damaged by the CLI. */
  protect?(place: Place, session: string, options: ProtectOptions): Promise<ProtectedResume>
  /** The files that restore a session which the CLI has lost, from its recorded events. */
  restore?(place: Place, session: LostSession): Promise<Restoration>
}

/** A change of a CLI's settings that keeps it from deleting sessions. */
export interface Guard {
  readonly problem: Problem
  readonly file: string
  /** A short description of the change. @example 'general.sessionRetention.enabled: false' */
  readonly change: string
  /** The path of the changed value in the file, and its new value. */
  readonly setting: readonly string[]
  readonly value: unknown
  apply(): Promise<void>
}

/** How a session is resumed: by a headless run, on a terminal, or by an ACP client. */
export type ResumeWay = 'headless' | 'terminal' | 'acp'

/** How a protected session will be resumed. */
export interface ProtectOptions {
  readonly way: ResumeWay
  readonly signal?: AbortSignal | undefined
}

/** A session that is safe to resume until `finish` is called. */
export interface ProtectedResume {
  /** The session's id, also if the caller named it otherwise, such as `latest`. */
  readonly id: string
  /** Call it when the CLI has ended. Returns problems to report to the user. */
  finish(): Promise<Problem[]>
}

/**
 * Protects a session from CLIs that lose sessions they resume; does nothing for all others. Call it before the resume
 * with the folder of the session as `place.cwd`, and call `finish` when the CLI has ended.
 *
 * @example
 * const { id, finish } = await protectResume(gemini, 'latest', place)
 * // … gemini --resume <id> …
 * const problems = await finish()
 */
export async function protectResume(
  agent: Agent,
  session: string,
  place: Place,
  options: Partial<ProtectOptions> = {},
): Promise<ProtectedResume> {
  const protect = agent.transcripts?.protect
  if (!protect) return { id: session, finish: async () => [] }
  return protect(place, session, { way: 'terminal', ...options })
}

/** A lost session and the events read from its transcripts, in order. */
export interface LostSession {
  readonly session: string
  /** The session's working directory, if known. */
  readonly cwd?: string | undefined
  readonly events: readonly Event[]
}

/** The files that bring back a lost session. */
export interface Restoration {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Files of the session that the CLI can no longer use. They are kept under another name. */
  readonly damaged: readonly string[]
  /** A file that still holds the session, so that nothing needs to be restored. */
  readonly intact?: string
  /** The folder in which the CLI will find the session. */
  readonly cwd?: string
}

/** Reads what a session list needs without parsing whole files. */
export interface SummaryReader {
  /** Whether a line is irrelevant for a list, by its first characters, so that it need not be parsed. */
  skips(beginning: string): boolean
  /** Reads an answer of the model from a line without parsing all of it; undefined if that is not possible. */
  readLine(line: Buffer, beginning: string): Answered | undefined
  /** Reads an answer of the model from a parsed record. */
  readRecord?(record: AgentRecord): Answered | undefined
}

/** What a list of sessions needs of an answer. */
export interface Answered {
  /** The entity of the message and of its usage. */
  readonly entity: string
  readonly at: number
  readonly model?: string
  readonly usage?: Usage
}

/** How an agent stores sessions: JSON lines, one JSON document, or a database. */
export type TranscriptFormat = 'lines' | 'document' | 'database'

/** A file of a session, and where an earlier read of it stopped. */
export interface TranscriptFile {
  readonly path: string
  /** The state that a reader returned when it stopped in this file. */
  readonly state?: unknown
}

/** Turns the records of one transcript into events. */
export interface TranscriptReader {
  /**
   * Returns the events of one record, or undefined for an unknown record. The caller has already begun the record on the
   * maker, with its key and digest. Never throws. The first event of a record carries it as `raw`.
   */
  read(record: AgentRecord): Event[] | undefined
  /** What the reader needs to continue later, as JSON. Its size does not grow with the file. */
  state(): unknown
  /** Whether the reader still orders records by their links, and so must be given every record. */
  needsEveryRecord?(): boolean
  /** Whether events wait for a record that has not been written yet. */
  isWaiting?(): boolean
  /** Returns the waiting events without that record. Called at the end of a file that is no longer written. */
  flush?(): Event[]
}

/** A database opened for reading; rows are plain records. */
export interface DatabaseRows {
  rows(sql: string, ...parameters: readonly (string | number)[]): Iterable<AgentRecord>
}

/** How sessions are read from an agent's database. */
export interface DatabasePart {
  /** Lists the sessions of the database. */
  sessions(database: DatabaseRows): Iterable<DatabaseSession>
  /** Reads the changes since the state of an earlier read, in batches of bounded size, optionally of one session. */
  read(
    database: DatabaseRows,
    maker: EventMaker,
    since: unknown,
    session?: string,
  ): Iterable<{ readonly records: readonly EventRecord[]; readonly state: unknown }>
}

/** A session in an agent's database. */
export interface DatabaseSession {
  readonly id: string
  readonly cwd?: string
  readonly updatedAt?: number
}

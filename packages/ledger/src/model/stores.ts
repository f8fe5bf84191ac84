import type { Answer, Ask, Command, CommandBody, CommandState, LiveInfo } from '@remora/protocol/plain'
import type { StoredEvent } from './ledger.ts'

/** Identifies a session. Session ids are unique only within their agent. */
export interface SessionKey {
  readonly agent: string
  readonly session: string
}

/** Asks and their answers. The first answer wins, wherever it comes from. */
export interface AskStore {
  /**
   * Stores an ask. The same id with another digest is a new request without an answer. With `redrawn` it is the same
   * request in another form and keeps its answer.
   */
  open(key: SessionKey, ask: Ask, options?: { readonly redrawn?: boolean }): Promise<void>
  /**
   * Returns the winning answer, with `won: false` if there was one already. Throws `conflict` if the digest differs.
   */
  answer(key: SessionKey, answer: Answer): Promise<{ readonly won: boolean; readonly answer: Answer }>
  pending(key?: SessionKey): Promise<(SessionKey & { readonly ask: Ask })[]>
  find(key: SessionKey, id: string): Promise<{ readonly ask: Ask; readonly answer?: Answer } | undefined>
}

/** Commands of surfaces, each executed once. */
export interface CommandStore {
  /** Stores a command and returns its present state. Submitting the same id of a client again changes nothing. */
  submit(command: Command): Promise<Command>
  /** Compare-and-set: undefined if the command is no longer in state `from`. */
  move(
    id: Pick<Command, 'id' | 'client'>,
    from: CommandState,
    to: CommandState,
    reason?: string,
  ): Promise<Command | undefined>
  /** Replaces the body of a queued command; undefined if it is no longer queued. */
  edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command | undefined>
  /** Moves the commands of a session whose id has changed. */
  rekey(from: SessionKey, to: SessionKey): Promise<void>
  /** The present state of a command, even if its session was renamed. */
  find(id: Pick<Command, 'id' | 'client'>): Promise<Command | undefined>
  list(query?: { readonly session?: SessionKey; readonly state?: CommandState }): Promise<Command[]>
  /**
   * The commands that changed after a cursor, each in its present state, and the cursor to continue from. Without a
   * cursor: only the present cursor.
   *
   * @example const { commands, cursor } = await ledger.commands.changes(last)
   */
  changes(after?: number): Promise<{ readonly commands: readonly Command[]; readonly cursor: number }>
}

/**
 * Every decision, in a hash chain, so that no entry can be changed or removed unnoticed. A winning answer is logged in
 * the same transaction.
 */
export interface AuditLog {
  append(entry: AuditFields): Promise<AuditEntry>
  /** Reads entries, oldest first. */
  read(query?: {
    readonly after?: number
    readonly limit?: number
    readonly session?: SessionKey
  }): Promise<AuditEntry[]>
  /** Verifies the chain; `broken` is the first wrong entry. */
  verify(): Promise<{
    readonly entries: number
    readonly broken?: { readonly number: number; readonly why: string }
  }>
}

/** What an audit entry records. */
export interface AuditFields {
  /** What happened. @example 'answer', 'paired', 'revoked', 'policy' */
  readonly what: string
  /** Who or what did it. @example 'Ann, phone (d-7f3k9q)' */
  readonly who: string
  readonly agent?: string
  readonly session?: string
  /** What was decided: the ask with its digest, and the answer. */
  readonly detail?: unknown
}

/** A stored entry of the audit log. */
export interface AuditEntry extends AuditFields {
  readonly number: number
  readonly at: number
  /** The hash of this entry and the previous hash. */
  readonly hash: string
}

/** Named locks, each held by one process at a time, that expire. */
export interface LeaseStore {
  /** Takes the lease, or returns its holder. A lease that was not renewed in time is taken over. */
  take(name: string, holder: LeaseHolder, forMs: number): Promise<Lease | HeldLease>
  /** The present holder, if any. */
  find(name: string): Promise<HeldLease | undefined>
  /** Returns false if the lease was lost. */
  renew(lease: Lease, forMs: number): Promise<boolean>
  release(lease: Lease): Promise<void>
}

/** The present holder of a lease. A process that knows that the holder is dead may release it. */
export interface HeldLease {
  readonly heldBy: LeaseHolder
  readonly lease: Lease
}

/** Describes the holder of a lease for people. */
export interface LeaseHolder {
  readonly what: string
  readonly pid?: number
  readonly host?: string
}

/** A lease that was taken. */
export interface Lease {
  readonly name: string
  /** Increases each time the lease is taken, so that a former holder is recognized. */
  readonly term: number
}

/** The machines that write into a ledger, with their live sessions. */
export interface NodeStore {
  /** Reports that a machine is online. Uses the ledger's clock, since the machine's may be wrong. */
  heartbeat(node: NodeFields): Promise<void>
  /** All machines that ever reported, by name. */
  list(): Promise<NodeEntry[]>
  /** Removes a machine; its sessions stay. Returns false if there is none. */
  remove(id: string): Promise<boolean>
}

/** What a machine reports about itself. */
export interface NodeFields {
  readonly id: string
  /** The display name. */
  readonly name: string
  /** The version of Remora. */
  readonly version: string
  /** The live sessions. */
  readonly live: readonly LiveInfo[]
}

/** A machine and the time since its last heartbeat. */
export interface NodeEntry extends NodeFields {
  /** Milliseconds since its last heartbeat. */
  readonly silentMs: number
}

/**
 * Reads and writes, page by page, what the other methods do not transfer unchanged, for moving a ledger. Writes here
 * are not audited, since the audit log is moved as well.
 */
export interface MoveStore {
  /** Reads a page of rows behind `after`, up to `end`. */
  read<P extends MovePart>(part: P, range?: MoveRange): Promise<MovePage<P>>
  /** The position of the last row that exists now; undefined if there is none. */
  end(part: MovePart): Promise<string | undefined>
  /** Writes rows unchanged; existing ones are overwritten. */
  write<P extends MovePart>(part: P, rows: readonly MoveRows[P][]): Promise<void>
}

/** Positions in the order of a part. */
export interface MoveRange {
  readonly after?: string | undefined
  readonly end?: string | undefined
}

/** A page of rows of one part. */
export interface MovePage<P extends MovePart> {
  readonly rows: readonly MoveRows[P][]
  /** The value to continue from; undefined at the end. */
  readonly after: string | undefined
}

/** The rows of each part. */
export interface MoveRows {
  /** Notes on sessions. Only sessions that exist are written. */
  readonly sessions: SessionKey & {
    readonly node?: string
    readonly name?: string
    readonly pinned: boolean
    readonly hidden: boolean
    readonly archivedAt?: number
  }
  /** Sessions that a user has deleted. Writing one deletes it. */
  readonly forgotten: SessionKey & { readonly at: number }
  readonly asks: SessionKey & { readonly ask: Ask; readonly answer?: Answer }
  readonly commands: Command
  /** Each entry must follow the previous one; another chain is refused with `conflict`. */
  readonly audit: SealedEntry
  /** The marks of all machines, under their stored names. */
  readonly marks: { readonly name: string; readonly value: unknown }
}

/** A part of a ledger, apart from its events, that is moved. */
export type MovePart = keyof MoveRows

/** An audit entry with everything that its hash covers. */
export interface SealedEntry {
  readonly number: number
  readonly at: number
  readonly what: string
  readonly who: string
  readonly agent: string | null
  readonly session: string | null
  /** JSON with sorted keys; null if there was none or it was forgotten. */
  readonly detail: string | null
  readonly salt: string | null
  readonly detail_hash: string | null
  readonly hash: string
}

/**
 * Events by the month in which they were stored, by the ledger's own clock. A whole month can be detached, and then
 * dropped. A detached month is readable only here.
 */
export interface MonthStore {
  /** Months that ended at least this long ago, and months that are being detached, oldest first. */
  list(endedMs?: number): Promise<MonthEntry[]>
  /** A page of the events of a month, with their records. */
  read(month: string, after?: number): Promise<MonthPage>
  /**
   * Records for all machines which file holds the events of a month. Only the last process that did so may drop the
   * month.
   */
  note(archive: ArchiveFields, sessions: readonly ArchivedSession[]): Promise<Archive>
  /** Detaches a month. Continues an interrupted detach, and waits for running queries. */
  detach(month: string): Promise<void>
  /** Drops a detached month and its index. Throws `conflict` if another process has noted the month since. */
  drop(archive: Archive): Promise<void>
  /** The archives of all sessions, or of one, oldest month first. */
  archives(session?: SessionKey): Promise<Archive[]>
}

/** A month of events in a ledger. */
export interface MonthEntry {
  /** @example '2026-08' */
  readonly month: string
  readonly events: number
  readonly bytes: number
}

/** A page of events of a month. */
export interface MonthPage {
  readonly events: readonly StoredEvent[]
  /** The value to continue from; undefined at the end. */
  readonly after: number | undefined
}

/** A session with events in an archived month. */
export interface ArchivedSession extends SessionKey {
  readonly events: number
}

/** What is recorded about an archived month. */
export interface ArchiveFields {
  readonly month: string
  /** The path of the archive on the machine that created it. */
  readonly file: string
  readonly machine: string
  /** The digest of all events with their records, session by session. */
  readonly digest: string
}

/** An archived month with its counts. */
export interface Archive extends ArchiveFields {
  readonly id: number
  /** Of one session, if one was given. */
  readonly events: number
  readonly sessions: number
  readonly at: number
  /** False while the month is still in the ledger as well. */
  readonly dropped: boolean
}

/** Identifies an archive: the epoch of its ledger, and the month. */
export interface ArchiveLabel {
  readonly epoch: string
  readonly month: string
}

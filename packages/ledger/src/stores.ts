import type { Answer, Ask, Command, CommandBody, CommandState, LiveInfo } from '@remora/protocol/plain'
import type { StoredEvent } from './ledger.ts'

/** Which conversation: ids are the agent's own and mean something only together with it. */
export interface SessionKey {
  readonly agent: string
  readonly session: string
}

/** Asks that wait for a decision. The first answer wins, wherever it comes from. */
export interface AskStore {
  /**
   * The same id with another digest is a new request, which has no answer yet. With `redrawn` it is the same request, shown
   * differently: once it was answered, it stays as it was answered.
   */
  open(key: SessionKey, ask: Ask, options?: { readonly redrawn?: boolean }): Promise<void>
  /** False, with the answer that won, if it was answered already; refused (`conflict`) if the digest is another. */
  answer(key: SessionKey, answer: Answer): Promise<{ readonly won: boolean; readonly answer: Answer }>
  pending(key?: SessionKey): Promise<(SessionKey & { readonly ask: Ask })[]>
  find(key: SessionKey, id: string): Promise<{ readonly ask: Ask; readonly answer?: Answer } | undefined>
}

/** Wishes of surfaces, each done once. */
export interface CommandStore {
  /** Stores a command; the same id of the same client again changes nothing and tells its present state. */
  submit(command: Command): Promise<Command>
  /** Compare and set: undefined if the command is no longer in state `from`. */
  move(
    id: Pick<Command, 'id' | 'client'>,
    from: CommandState,
    to: CommandState,
    reason?: string,
  ): Promise<Command | undefined>
  /** Other words for a command that is still queued; undefined if it is not. */
  edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command | undefined>
  /** The commands of a session that got another id are those of the new one. */
  rekey(from: SessionKey, to: SessionKey): Promise<void>
  /** How a command stands now, whatever its session is called meanwhile. */
  find(id: Pick<Command, 'id' | 'client'>): Promise<Command | undefined>
  list(query?: { readonly session?: SessionKey; readonly state?: CommandState }): Promise<Command[]>
  /**
   * The commands that changed after a cursor, each in its present state, and the cursor to continue from. Without a
   * cursor: only the present cursor.
   * @example const { commands, cursor } = await ledger.commands.changes(last)
   */
  changes(after?: number): Promise<{ readonly commands: readonly Command[]; readonly cursor: number }>
}

/**
 * Every decision, each entry bound to the one before it, so that none can be changed or taken out unseen. An answer that
 * wins is entered in the same transaction.
 */
export interface AuditLog {
  append(entry: AuditFields): Promise<AuditEntry>
  /** The oldest first. */
  read(query?: {
    readonly after?: number
    readonly limit?: number
    readonly session?: SessionKey
  }): Promise<AuditEntry[]>
  /** The number of the first entry that does not fit, if any, and why. */
  verify(): Promise<{
    readonly entries: number
    readonly broken?: { readonly number: number; readonly why: string }
  }>
}

export interface AuditFields {
  /** What happened. @example 'answer', 'paired', 'revoked', 'policy' */
  readonly what: string
  /** Who or what did it. @example 'Ann, phone (d-7f3k9q)' */
  readonly who: string
  readonly agent?: string
  readonly session?: string
  /** All that was decided about: the ask with its digest, and the answer. */
  readonly detail?: unknown
}

export interface AuditEntry extends AuditFields {
  readonly number: number
  readonly at: number
  /** Of this entry and of the hash before it. */
  readonly hash: string
}

/** A name that one process at a time holds. */
export interface LeaseStore {
  /** The lease, or who holds it. Taken over when the holder has not renewed it in time. */
  take(name: string, holder: LeaseHolder, forMs: number): Promise<Lease | HeldLease>
  /** Who holds it now, if anybody does. Changes nothing. */
  find(name: string): Promise<HeldLease | undefined>
  /** False if it was lost. */
  renew(lease: Lease, forMs: number): Promise<boolean>
  release(lease: Lease): Promise<void>
}

/** Whose lease it is. One who knows that the holder is dead may release it for him. */
export interface HeldLease {
  readonly heldBy: LeaseHolder
  readonly lease: Lease
}

/** Who holds a lease, in words that help a person to find it. */
export interface LeaseHolder {
  readonly what: string
  readonly pid?: number
  readonly host?: string
}

export interface Lease {
  readonly name: string
  /** Grows with every taking, so that one who lost it and does not know is refused. */
  readonly term: number
}

/** The machines that write into a ledger, each with what runs on it now. */
export interface NodeStore {
  /** Says that a machine is there, by the ledger's own clock: that of the machine may be wrong. */
  heartbeat(node: NodeFields): Promise<void>
  /** All that were ever there, by name. */
  list(): Promise<NodeEntry[]>
  /** Takes one from the list that will not come back; its sessions stay. False if there is none. */
  remove(id: string): Promise<boolean>
}

export interface NodeFields {
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** Of Remora. */
  readonly version: string
  /** The sessions that go on there. */
  readonly live: readonly LiveInfo[]
}

export interface NodeEntry extends NodeFields {
  /** How long ago it was heard of last, in milliseconds. */
  readonly silentMs: number
}

/**
 * What the rest of a ledger does not give and take as it is, in pages: for moving everything into another ledger. What is
 * written here is not entered in the audit log, since that comes along as it was.
 */
export interface MoveStore {
  read<P extends MovePart>(part: P, after?: string): Promise<MovePage<P>>
  /** Writes rows as they are; those that are there already become the same. */
  write<P extends MovePart>(part: P, rows: readonly MoveRows[P][]): Promise<void>
}

export interface MovePage<P extends MovePart> {
  readonly rows: readonly MoveRows[P][]
  /** Where to go on; undefined at the end. */
  readonly after: string | undefined
}

export interface MoveRows {
  /** What is known of sessions besides their events. Only of sessions that are there. */
  readonly sessions: SessionKey & {
    readonly node?: string
    readonly name?: string
    readonly pinned: boolean
    readonly hidden: boolean
    readonly archivedAt?: number
  }
  /** Sessions that a person had deleted. Where one is written, it is deleted. */
  readonly forgotten: SessionKey & { readonly at: number }
  readonly asks: SessionKey & { readonly ask: Ask; readonly answer?: Answer }
  readonly commands: Command
  /** Each must follow the one before it; another chain is refused (`conflict`). */
  readonly audit: SealedEntry
  /** Of all machines: with the names that they are stored by. */
  readonly marks: { readonly name: string; readonly value: unknown }
}

export type MovePart = keyof MoveRows

/** An entry of the audit log with all that its hash was made of. */
export interface SealedEntry {
  readonly number: number
  readonly at: number
  readonly what: string
  readonly who: string
  readonly agent: string | null
  readonly session: string | null
  /** As JSON with sorted keys; null if there was none, or it was forgotten. */
  readonly detail: string | null
  readonly salt: string | null
  readonly detail_hash: string | null
  readonly hash: string
}

/**
 * The months in which events were stored, each of which can be taken out as a whole, by the ledger's own clock. A month
 * that is taken out is read here alone, until it is dropped.
 */
export interface MonthStore {
  /** Those that are over for at least so long, and those that somebody began to take out; the oldest first. */
  list(endedMs?: number): Promise<MonthEntry[]>
  /** What a month holds, with the records; in pages. */
  read(month: string, after?: number): Promise<MonthPage>
  /** Remembers for all machines where the events of a month lie from now on. Whoever does it last may drop the month. */
  note(archive: ArchiveFields, sessions: readonly ArchivedSession[]): Promise<Archive>
  /** Takes a month out. Goes on where another one was stopped; waits for all who use it. */
  detach(month: string): Promise<void>
  /** Drops a month that was taken out, with its words; refused (`conflict`) if another one has noted it since. */
  drop(archive: Archive): Promise<void>
  /** Where events lie that were taken out, the oldest month first: of all sessions, or of one. */
  archives(session?: SessionKey): Promise<Archive[]>
}

export interface MonthEntry {
  /** @example '2026-08' */
  readonly month: string
  readonly events: number
  readonly bytes: number
}

export interface MonthPage {
  readonly events: readonly StoredEvent[]
  /** Where to go on; undefined at the end. */
  readonly after: number | undefined
}

export interface ArchivedSession extends SessionKey {
  readonly events: number
}

export interface ArchiveFields {
  readonly month: string
  /** The path of the ledger that has them now, on the machine that made it. */
  readonly file: string
  readonly machine: string
  /** Of all events with their records, in their order, session by session. */
  readonly digest: string
}

export interface Archive extends ArchiveFields {
  readonly id: number
  /** Of one session, where it was asked for. */
  readonly events: number
  readonly sessions: number
  readonly at: number
  /** False while the month is still in the ledger as well. */
  readonly dropped: boolean
}

/** What a ledger is an archive of: a month of another one, by its epoch. */
export interface ArchiveLabel {
  readonly epoch: string
  readonly month: string
}

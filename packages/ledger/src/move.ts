import { type Cursor, type Event, type EventRecord, RemoraError } from '@remora/protocol/plain'
import type { Ledger, MovePart, MoveRows, StoredEvent } from './model/ledger.ts'
import { toMarkName } from './rows/mark-name.ts'

/** Options of `moveLedger`. */
export interface MoveOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: MoveProgress) => void
  /** Leaves the audit log out: a ledger that has its own audit log cannot take another. */
  readonly withoutAudit?: boolean
}

/** How far `moveLedger` is. */
export interface MoveProgress {
  readonly part: 'events' | MovePart
  /** For events, the sequence number reached and the highest one; for other parts, the number of rows written. */
  readonly done: number
  readonly total?: number
}

/** What `moveLedger` has copied. */
export interface MoveResult {
  /** The number of events that the target did not have. */
  readonly added: number
  /** Where reading the source stopped. */
  readonly cursor: Cursor
}

/** Prefix of the mark that stores the progress; the source's epoch follows. */
const markPrefix = 'move/'
const pageEvents = 1000

/**
 * Copies everything from one ledger into another, whatever their engines are. It may be interrupted at any time and run
 * again: a mark in the target stores how far the events were copied, and the other parts are small and written again.
 * Nothing is stored twice. Events that are appended to the source meanwhile are copied now or by the next run.
 *
 * @example await moveLedger(await openLedger({ file }), await openPostgres({ url }))
 */
export async function moveLedger(from: Ledger, to: Ledger, options: MoveOptions = {}): Promise<MoveResult> {
  if (from.epoch === to.epoch)
    throw new RemoraError('usage', 'A ledger cannot be moved into itself', {
      hint: 'Choose another file or database.',
    })
  const { signal } = options
  // First, so that forgotten sessions are neither copied nor kept.
  await movePart(from, to, 'forgotten', options)
  let added = await moveEvents(from, to, options)
  for (const part of ['sessions', 'asks', 'commands', 'audit', 'marks', 'forgotten'] as const)
    if (part !== 'audit' || !options.withoutAudit) await movePart(from, to, part, options)
  // Copies events that were appended meanwhile. Notes on their sessions follow with the next run.
  added += await moveEvents(from, to, options)
  signal?.throwIfAborted()
  return { added, cursor: await readMoveCursor(from, to) }
}

/** How far a source has been copied into a target. @example await readMoveCursor(source, target) */
export async function readMoveCursor(from: Ledger, to: Ledger): Promise<Cursor> {
  const seq = (await to.marks(markPrefix)).get(markPrefix + from.epoch)
  return { epoch: from.epoch, seq: typeof seq === 'number' ? seq : 0 }
}

/**
 * Removes the mark. A later move starts at the beginning, and still stores nothing twice.
 *
 * @example await endMove(source, target)
 */
export async function endMove(from: Ledger, to: Ledger): Promise<void> {
  await to.append([], { marks: { [markPrefix + from.epoch]: undefined } })
}

/** Stops at the present head: a writer that is faster than this copy would keep it running forever. */
async function moveEvents(from: Ledger, to: Ledger, { signal, onProgress }: MoveOptions): Promise<number> {
  const total = (await from.head()).seq
  let added = 0
  for (let after = await readMoveCursor(from, to); after.seq !== total;) {
    signal?.throwIfAborted()
    // A mark past the end means that the source was restored from a backup. Reading then starts at the beginning.
    const page = await from.read({ after, limit: pageEvents, records: true })
    after = page.cursor
    const marks = { [markPrefix + from.epoch]: after.seq }
    added += (await to.append(toRecords(page.events), { marks })).added
    onProgress?.({ part: 'events', done: after.seq, total: Math.max(total, after.seq) })
    if (after.seq > total) break
  }
  return added
}

async function movePart<P extends MovePart>(
  from: Ledger,
  to: Ledger,
  part: P,
  { signal, onProgress }: MoveOptions,
): Promise<void> {
  let done = 0
  for await (const rows of readPages(from, part)) {
    signal?.throwIfAborted()
    const moved = part === 'marks' ? toTargetMarks(from, to, rows as readonly MoveRows['marks'][]) : rows
    await to.moving.write(part, moved as readonly MoveRows[P][])
    done += rows.length
    onProgress?.({ part, done })
  }
}

/** Reads the present rows of a part, page by page. A fast writer would otherwise keep it running forever. */
export async function* readPages<P extends MovePart>(
  ledger: Ledger,
  part: P,
): AsyncGenerator<readonly MoveRows[P][], void, undefined> {
  const end = await ledger.moving.end(part)
  if (end === undefined) return
  let after: string | undefined
  do {
    const page = await ledger.moving.read(part, { after, end })
    yield page.rows
    after = page.after
  } while (after !== undefined)
}

/** Renames marks for the target: those of the source's own machine become those of the target's machine. */
export function toTargetMarks(
  from: Ledger,
  to: Ledger,
  rows: readonly MoveRows['marks'][],
): MoveRows['marks'][] {
  const own = toMarkName(from.node, '')
  return rows.flatMap(({ name, value }) => {
    if (/^(?:@[^/]*\/)?move\//.test(name)) return []
    const plain = name.startsWith(own) ? name.slice(own.length) : name
    return [{ name: plain.startsWith('@') ? plain : toMarkName(to.node, plain), value }]
  })
}

/**
 * Groups events that were read with their records as they were appended: the events of a record follow the one that has
 * its text.
 */
export function toRecords(stored: readonly StoredEvent[]): EventRecord[] {
  const records: { events: Event[]; raw?: string }[] = []
  let last: Event | undefined
  for (const { event, record } of stored) {
    const begins = record !== undefined || event.raw !== undefined
    const follows =
      !begins && last !== undefined && last.agent === event.agent && last.session === event.session
    if (follows) records.at(-1)!.events.push(event)
    else records.push({ events: [event], ...(record === undefined ? {} : { raw: record }) })
    last = event
  }
  return records
}

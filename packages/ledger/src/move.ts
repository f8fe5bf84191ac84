import { type Cursor, type Event, type EventRecord, RemoraError } from '@remora/protocol/plain'
import type { Ledger, MovePart, MoveRows, StoredEvent } from './ledger.ts'
import { toMarkName } from './rows/mark-name.ts'

export interface MoveOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: MoveProgress) => void
  /** Leaves the audit log where it is: a ledger that has one of its own cannot take another. */
  readonly withoutAudit?: boolean
}

export interface MoveProgress {
  readonly part: 'events' | MovePart
  /** Of events the number that was reached and the highest there is; of all else how many rows were written. */
  readonly done: number
  readonly total?: number
}

export interface MoveResult {
  /** How many events were not there yet. */
  readonly added: number
  /** Up to where the source was read. */
  readonly cursor: Cursor
}

/** The mark that says how far, by the epoch of the source. */
const markPrefix = 'move/'
const pageEvents = 1000

/**
 * Copies everything from one ledger into another, whatever engines they have. It may be stopped anywhere and run again: a
 * mark in the target says how far the events came, and all else is small and written again. What is there already is not
 * stored twice; what was written to the source meanwhile comes along, or with the next run.
 *
 * @example await moveLedger(await openLedger({ file }), await openLedger({ url }))
 */
export async function moveLedger(from: Ledger, to: Ledger, options: MoveOptions = {}): Promise<MoveResult> {
  if (from.epoch === to.epoch)
    throw new RemoraError('usage', 'A ledger cannot be moved into itself', {
      hint: 'Name another file or another database.',
    })
  const { signal } = options
  // First, so that what was forgotten is neither there nor stored.
  await movePart(from, to, 'forgotten', options)
  let added = await moveEvents(from, to, options)
  for (const part of ['sessions', 'asks', 'commands', 'audit', 'marks', 'forgotten'] as const)
    if (part !== 'audit' || !options.withoutAudit) await movePart(from, to, part, options)
  // What came in the meantime, but for what its sessions are called.
  added += await moveEvents(from, to, options)
  signal?.throwIfAborted()
  return { added, cursor: await readMoveCursor(from, to) }
}

/** How far a source was moved into a target. */
export async function readMoveCursor(from: Ledger, to: Ledger): Promise<Cursor> {
  const seq = (await to.marks(markPrefix)).get(markPrefix + from.epoch)
  return { epoch: from.epoch, seq: typeof seq === 'number' ? seq : 0 }
}

/** Takes the mark away. A move that comes later begins at the beginning, and stores nothing twice all the same. */
export async function endMove(from: Ledger, to: Ledger): Promise<void> {
  await to.append([], { marks: { [markPrefix + from.epoch]: undefined } })
}

/** Up to what is there now: one who writes faster than this reads would never let it end. */
async function moveEvents(from: Ledger, to: Ledger, { signal, onProgress }: MoveOptions): Promise<number> {
  const total = (await from.head()).seq
  let added = 0
  for (let after = await readMoveCursor(from, to); after.seq !== total;) {
    signal?.throwIfAborted()
    // A mark beyond the end is of a source that was put back from a copy: then this begins at the beginning.
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

/** All rows of a part, page by page. */
export async function* readPages<P extends MovePart>(
  ledger: Ledger,
  part: P,
): AsyncGenerator<readonly MoveRows[P][], void, undefined> {
  let after: string | undefined
  do {
    const page = await ledger.moving.read(part, after)
    yield page.rows
    after = page.after
  } while (after !== undefined)
}

/** Marks by the names that they have in the target: those of the source's own machine are those of the target's. */
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
 * Events that were read with their records, as they were when they were appended: those of one record follow the one that
 * has its text.
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

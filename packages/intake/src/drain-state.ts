import { readFileSync } from 'node:fs'
import type { Lease, Ledger } from '@remora/ledger'
import type { EventRecord } from '@remora/protocol/plain'
import { PayloadReader, type SpoolEntry, findAgent } from '@remora/sdk/hooks'

const drainedMark = 'spool:drained'
const refusedMark = 'spool:refused'
const stateMark = 'spool:state:'

/**
 * The state of the spool in the ledger: the entries stored last, which may still be in the spool after a crash, and the
 * state of each agent's reader.
 */
export class DrainState {
  readonly #marks: ReadonlyMap<string, unknown>
  readonly #readers = new Map<string, PayloadReader>()
  readonly #drained: Set<string>

  private constructor(marks: ReadonlyMap<string, unknown>) {
    this.#marks = marks
    const drained = marks.get(drainedMark)
    this.#drained = new Set(Array.isArray(drained) ? (drained as string[]) : [])
  }

  static async load(ledger: Ledger): Promise<DrainState> {
    return new DrainState(await ledger.marks('spool:'))
  }

  isDrained({ id }: Pick<SpoolEntry, 'id'>): boolean {
    return this.#drained.has(id)
  }

  /** The records of the entries, and the entries that are damaged or cannot be opened. */
  read(entries: readonly SpoolEntry[]): ReadEntries {
    const read: ReadEntries = { records: [], damaged: [], unreadable: [] }
    for (const entry of entries) {
      const text = readPayload(entry)
      if (text === null) read.unreadable.push(entry)
      if (typeof text !== 'string') continue
      const record = this.#record(entry, text)
      if (record) read.records.push(record)
      else read.damaged.push(entry)
    }
    return read
  }

  #record(entry: SpoolEntry, text: string): EventRecord | undefined {
    return this.#reader(entry.agent)?.read(text, { key: entry.id, at: Math.round(entry.at) })
  }

  /** The marks to store together with these entries; earlier entries have been removed by then. */
  marks(entries: readonly SpoolEntry[]): Record<string, unknown> {
    this.#drained.clear()
    for (const { id } of entries) this.#drained.add(id)
    const states = [...this.#readers].map(([agent, reader]) => [stateMark + agent, reader.state()] as const)
    return { ...Object.fromEntries(states), [drainedMark]: [...this.#drained] }
  }

  /** The number of payloads dropped since the last call. */
  async refused(ledger: Ledger, total: number, lease: Lease): Promise<number> {
    const reported = Number(this.#marks.get(refusedMark) ?? 0)
    if (reported === total) return 0
    await ledger.append([], { marks: { [refusedMark]: total }, lease })
    return total > reported ? total - reported : total
  }

  #reader(id: string): PayloadReader | undefined {
    const known = this.#readers.get(id)
    const agent = known ? undefined : findAgent(id)
    if (!agent?.hooks) return known
    const reader = new PayloadReader(agent, this.#marks.get(stateMark + id))
    this.#readers.set(id, reader)
    return reader
  }
}

interface ReadEntries {
  readonly records: EventRecord[]
  readonly damaged: SpoolEntry[]
  readonly unreadable: SpoolEntry[]
}

/** The payload; undefined if it was removed meanwhile, null if it cannot be opened. */
function readPayload({ file }: SpoolEntry): string | undefined | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null
  }
}

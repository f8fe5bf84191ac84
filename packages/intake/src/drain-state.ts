import { readFileSync } from 'node:fs'
import type { Lease, Ledger } from '@remora/ledger'
import type { EventRecord } from '@remora/protocol/plain'
import { PayloadReader, type SpoolEntry, findAgent } from '@remora/sdk/hooks'

const drainedMark = 'spool:drained'
const refusedMark = 'spool:refused'
const stateMark = 'spool:state:'

/**
 * What the ledger remembers of the spool: what was stored last, which may still lie there after a crash, and what the
 * readers of each agent need to go on.
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

  /** What the entries tell, and those that tell nothing, or cannot be read at all. */
  read(entries: readonly SpoolEntry[]): ReadEntries {
    const read: ReadEntries = { records: [], damaged: [], unreadable: [] }
    for (const entry of entries) {
      const text = textOf(entry)
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

  /** What to remember together with these entries; the ones before them are gone by then. */
  marks(entries: readonly SpoolEntry[]): Record<string, unknown> {
    this.#drained.clear()
    for (const { id } of entries) this.#drained.add(id)
    const states = [...this.#readers].map(([agent, reader]) => [stateMark + agent, reader.state()] as const)
    return { ...Object.fromEntries(states), [drainedMark]: [...this.#drained] }
  }

  /** How many were refused since this was last asked. */
  async refused(ledger: Ledger, total: number, lease: Lease): Promise<number> {
    const told = Number(this.#marks.get(refusedMark) ?? 0)
    if (told === total) return 0
    await ledger.append([], { marks: { [refusedMark]: total }, lease })
    return total > told ? total - told : total
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

/** The payload; undefined if somebody took it away meanwhile, null if it belongs to somebody else. */
function textOf({ file }: SpoolEntry): string | undefined | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null
  }
}

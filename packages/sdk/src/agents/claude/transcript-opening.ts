import { parseTime } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** Records at the start of a file in which Claude's writers may overtake each other. */
const openingLength = 40

/**
 * Puts the first records of a file into the order of their links. Claude may write an answer before its prompt, but
 * `parentUuid` is always right, so that a record waits until the record before it was read.
 *
 * @example for (const ready of opening.add(record)) process(ready)
 */
export class Opening {
  /** Ids of the records that were passed on. */
  readonly #passed: Set<string>
  #waiting: AgentRecord[]
  /** How many linked records may still come out of order. */
  #left: number

  constructor(state: unknown) {
    const { passed, waiting, left } = asRecord(state) ?? {}
    this.#passed = new Set(Array.isArray(passed) ? (passed as string[]) : [])
    this.#waiting = Array.isArray(waiting) ? (waiting as AgentRecord[]) : []
    this.#left = typeof left === 'number' ? left : openingLength
  }

  state(): object {
    return this.#left === 0
      ? { left: 0 }
      : { passed: [...this.#passed], waiting: this.#waiting, left: this.#left }
  }

  /** Whether the next record may still come out of order. */
  get isOpen(): boolean {
    return this.#left > 0
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** The records that can be read now: this one if the record before it is known, and all that waited for it. */
  add(record: AgentRecord): AgentRecord[] {
    if (this.#left === 0 || typeof record['uuid'] !== 'string') return [record]
    this.#left--
    this.#waiting.push(record)
    return this.#left === 0 ? this.flush() : this.#takeReady()
  }

  /** All records that wait. The link of some leads out of the file. */
  flush(): AgentRecord[] {
    const ready: AgentRecord[] = []
    while (this.#waiting.length > 0) {
      const ids = new Set(this.#waiting.map((each) => each['uuid']))
      const first = this.#waiting.filter((each) => !ids.has(each['parentUuid'])).toSorted(byTime)[0]
      // A circle of links has no first record.
      const next = first ?? this.#waiting[0]!
      this.#pass(next)
      ready.push(next, ...this.#takeReady())
    }
    this.#left = 0
    this.#passed.clear()
    return ready
  }

  #takeReady(): AgentRecord[] {
    const ready: AgentRecord[] = []
    for (;;) {
      const next = this.#waiting.filter((each) => this.#follows(each)).toSorted(byTime)[0]
      if (!next) return ready
      this.#pass(next)
      ready.push(next)
    }
  }

  #follows({ parentUuid }: AgentRecord): boolean {
    return typeof parentUuid !== 'string' || this.#passed.has(parentUuid)
  }

  #pass(record: AgentRecord): void {
    this.#waiting = this.#waiting.filter((each) => each !== record)
    const id = asString(record['uuid'])
    if (id !== undefined) this.#passed.add(id)
  }
}

/** Earlier records first; the sort keeps the order of the file where the times are equal or unknown. */
function byTime(one: AgentRecord, other: AgentRecord): number {
  return (parseTime(one['timestamp']) ?? 0) - (parseTime(other['timestamp']) ?? 0)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Event, EventOf, ToolStatus } from '@remora/protocol/plain'
import type { EventFields } from '../../events/event-maker.ts'

/** How long the agent's own file may lag behind its output stream. */
const lagMs = 500
const stepMs = 20

export type ReadStatuses = (calls: readonly string[]) => Promise<ReadonlyMap<string, ToolStatus>>

/**
 * Corrects the results of shell commands. Some streams report every command that could be started as a success; the
 * agent's session file has the exit code.
 *
 * @example
 * const results = new ShellResults(read, signal)
 * yield await results.correct(batch)
 */
export class ShellResults {
  readonly #read: ReadStatuses
  readonly #signal: AbortSignal
  readonly #shells = new Set<string>()
  readonly #uncertain = new Map<string, EventOf<'tool_result'>>()

  constructor(read: ReadStatuses, signal: AbortSignal) {
    this.#read = read
    this.#signal = signal
  }

  /** Returns the events with the status of each command, once the file has it. */
  async correct(events: readonly Event[]): Promise<Event[]> {
    for (const event of events) {
      if (event.type === 'tool_use' && event.name === 'Bash') this.#shells.add(event.entity)
      if (event.type === 'tool_result' && event.status === 'success' && this.#shells.has(event.entity))
        this.#uncertain.set(event.entity, event)
    }
    if (!events.some(({ entity }) => this.#uncertain.has(entity))) return [...events]
    const known = new Map<string, ToolStatus>()
    const end = performance.now() + lagMs
    do {
      for (const [call, status] of await this.#known()) known.set(call, status)
      if (this.#uncertain.size === 0 || this.#signal.aborted) break
      await sleep(stepMs)
    } while (performance.now() < end)
    return events.map((event) => {
      const status = event.type === 'tool_result' ? known.get(event.entity) : undefined
      return status === undefined ? event : ({ ...event, status } as Event)
    })
  }

  /** Returns corrections for commands that were recorded too late. */
  async rest(): Promise<EventFields[]> {
    const left = new Map(this.#uncertain)
    return [...(await this.#known())].flatMap(([call, status]) => {
      const event = left.get(call)
      if (!event || status === event.status) return []
      const { type, entity, content } = event
      return [{ type, entity, status, ...(content === undefined ? {} : { content }) }]
    })
  }

  async #known(): Promise<ReadonlyMap<string, ToolStatus>> {
    if (this.#uncertain.size === 0) return new Map()
    const known = await this.#read([...this.#uncertain.keys()]).catch(() => new Map<string, ToolStatus>())
    for (const call of known.keys()) this.#uncertain.delete(call)
    return known
  }
}

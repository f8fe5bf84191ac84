import type { Event, EventOf } from '@remora/protocol/plain'
import type { RunResult } from '@remora/sdk'
import type { Printer } from '../printing/printer.ts'

/** How long a call is held back for its details. */
const holdMs = 400

/**
 * Some agents report a call twice, first without its details. The call is held back until then, so that its line shows
 * them.
 */
export class HeldCalls implements Printer {
  readonly #printer: Printer
  readonly #known = new Set<string>()
  #held: EventOf<'tool_use'> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(printer: Printer) {
    this.#printer = printer
  }

  event(event: Event): void {
    if (event.type === 'tool_use' && !this.#known.has(event.entity)) {
      if (this.#held?.entity !== event.entity) this.release()
      this.#held = event
      this.#timer ??= setTimeout(() => this.release(), holdMs)
      return
    }
    // Other status events do not complete a call.
    if (event.type !== 'status' && event.type !== 'usage') this.release()
    this.#printer.event(event)
  }

  end(result: RunResult): void {
    this.release()
    this.#printer.end(result)
  }

  /** Prints the held call before anything that must follow it. */
  release(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const held = this.#held
    this.#held = undefined
    if (!held) return
    this.#known.add(held.entity)
    this.#printer.event(held)
  }
}

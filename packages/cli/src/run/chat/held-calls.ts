import type { Event, EventOf } from '@remora/protocol/plain'
import type { RunResult } from '@remora/sdk'
import type { Printer } from '../printing/printer.ts'

/** What an agent adds to a call it adds at once. */
const holdMs = 400

/**
 * Some agents tell of a call before they know what it is about, and tell it again a moment later. A call is held back
 * until then, so that its one line says it.
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
    // How full the context is, and the like, says nothing about a call.
    if (event.type !== 'status' && event.type !== 'usage') this.release()
    this.#printer.event(event)
  }

  end(result: RunResult): void {
    this.release()
    this.#printer.end(result)
  }

  /** Shows the call that is held back, because something comes that must stand behind it. */
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

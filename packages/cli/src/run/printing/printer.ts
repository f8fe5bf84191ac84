import type { Event } from '@remora/protocol/plain'
import type { RunResult } from '@remora/sdk'

/** Where a printer writes. */
export interface Writer {
  out(text: string): void
  err(text: string): void
}

/** Turns the events of one run into text. */
export interface Printer {
  event(event: Event): void
  end(result: RunResult): void
}

/** Prints events as JSON, one per line. */
export function jsonPrinter(writer: Pick<Writer, 'out'>): Printer {
  return {
    event: (event) => writer.out(`${JSON.stringify(event)}\n`),
    end: () => {},
  }
}

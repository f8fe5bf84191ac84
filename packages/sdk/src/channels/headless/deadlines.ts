import { RemoraError } from '@remora/protocol/plain'

export interface Timeouts {
  readonly startup?: number | undefined
  readonly idle?: number | undefined
  readonly total?: number | undefined
}

/** A timer beyond this fires at once. */
const longestTimer = 2 ** 31 - 1

/**
 * Waits for a child's output, but not for ever. Time in which nobody waits, as for a slow consumer, does not count as
 * startup or idle; the total runs on whatever happens.
 */
export class Deadlines {
  readonly #timeouts: Timeouts
  #started = false

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts
  }

  /** Calls when the total has run out. Returns what takes that back. */
  onTotal(late: (error: RemoraError) => void): () => void {
    const { total } = this.#timeouts
    if (total === undefined) return () => {}
    const timer = setTimeout(
      () => late(timeout('total', `The run took longer than ${total} ms`)),
      Math.min(total, longestTimer),
    )
    return () => clearTimeout(timer)
  }

  /** A child is started. */
  begin(): void {
    this.#started = false
  }

  /** The child has said something. */
  heard(): void {
    this.#started = true
  }

  /** Settles as the promise does, or rejects when the child has been silent for too long. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const { startup, idle } = this.#timeouts
    const limit = this.#started ? idle : startup
    if (limit === undefined) return promise
    const error = this.#started
      ? timeout('idle', `The agent said nothing for ${idle} ms`)
      : timeout('startup', `The agent said nothing within ${startup} ms of its start`)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(error), Math.min(limit, longestTimer))
    })
    try {
      return await Promise.race([promise, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

function timeout(name: keyof Timeouts, message: string): RemoraError {
  return new RemoraError(`timeout_${name}`, message, {
    hint: `Give it more time with timeouts.${name}, or find out what it waits for.`,
  })
}

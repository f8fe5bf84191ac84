import { RemoraError } from '@remora/protocol/plain'

export interface Timeouts {
  readonly startup?: number | undefined
  readonly idle?: number | undefined
  readonly total?: number | undefined
}

/** The longest delay of a timer; a longer one fires immediately. */
const longestTimer = 2 ** 31 - 1

/**
 * The timeouts of a run. Time in which the consumer does not wait for output counts towards the total only, not as startup
 * or idle time.
 */
export class Deadlines {
  readonly #timeouts: Timeouts
  #started = false

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts
  }

  /** Calls back when the total time is over. Returns the function that cancels the timer. */
  onTotal(late: (error: RemoraError) => void): () => void {
    const { total } = this.#timeouts
    if (total === undefined) return () => {}
    const timer = setTimeout(
      () => late(timeout('total', `The run took longer than ${total} ms`)),
      Math.min(total, longestTimer),
    )
    return () => clearTimeout(timer)
  }

  /** The process was started. */
  begin(): void {
    this.#started = false
  }

  /** The process has written output. */
  heard(): void {
    this.#started = true
  }

  /** Settles like the promise, or rejects when the process writes nothing for too long. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const { startup, idle } = this.#timeouts
    const limit = this.#started ? idle : startup
    if (limit === undefined) return promise
    const error = this.#started
      ? timeout('idle', `The agent wrote no output for ${idle} ms`)
      : timeout('startup', `The agent wrote no output within ${startup} ms of its start`)
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

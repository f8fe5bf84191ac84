import { RemoraError } from '@remora/protocol'

export interface Timeouts {
  readonly startup?: number | undefined
  readonly idle?: number | undefined
  readonly total?: number | undefined
}

/** A timer beyond this fires at once. */
const longestTimer = 2 ** 31 - 1

/** Waits for a child's output, but not for ever. Time in which nobody waits, as for a slow consumer, does not count as idle. */
export class Deadlines {
  readonly #timeouts: Timeouts
  readonly #end: number
  #started = false

  constructor(timeouts: Timeouts, begin = Date.now()) {
    this.#timeouts = timeouts
    this.#end = timeouts.total === undefined ? Infinity : begin + timeouts.total
  }

  /** The child has said something. */
  heard(): void {
    this.#started = true
  }

  /** Settles as the promise does, or rejects with the timeout that ran out first. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const { startup, idle, total } = this.#timeouts
    const quiet = this.#started ? idle : startup
    const left = this.#end - Date.now()
    const limit = Math.min(quiet ?? Infinity, left)
    if (limit === Infinity) return promise
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          if (limit === left)
            reject(timeout('timeout_total', `The run took longer than ${total} ms`, 'total'))
          else if (this.#started)
            reject(timeout('timeout_idle', `The agent said nothing for ${idle} ms`, 'idle'))
          else
            reject(
              timeout(
                'timeout_startup',
                `The agent said nothing within ${startup} ms of its start`,
                'startup',
              ),
            )
        },
        Math.min(Math.max(0, limit), longestTimer),
      )
    })
    try {
      return await Promise.race([promise, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

function timeout(
  code: 'timeout_total' | 'timeout_idle' | 'timeout_startup',
  message: string,
  name: string,
): RemoraError {
  return new RemoraError(code, message, {
    hint: `Give it more time with timeouts.${name}, or find out what it waits for.`,
  })
}

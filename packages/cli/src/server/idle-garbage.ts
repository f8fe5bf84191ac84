import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyMs = 10_000
/** The event loop is idle if it was busy for no more than this part of the time. */
const idleShare = 0.05
/** How much the heap may grow before it is worth a collection. */
const grownFactor = 1.25
const grownBytes = 8_000_000

/**
 * Frees memory after a burst. V8 collects garbage only on allocation, and an idle server hardly allocates, so it would
 * keep the memory of the last burst.
 */
export class IdleGarbage {
  readonly #collect: () => void
  #lowest = getHeapStatistics().used_heap_size
  #last: EventLoopUtilization = performance.eventLoopUtilization()

  constructor() {
    setFlagsFromString('--expose-gc')
    this.#collect = runInNewContext('gc') as () => void
  }

  /** Checks periodically until the signal aborts. */
  start(signal: AbortSignal): void {
    const timer = setInterval(() => this.check(this.#isIdle()), everyMs)
    timer.unref()
    signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  }

  /** Collects garbage if the heap has grown and the server is idle. Returns whether it did. */
  check(isIdle: boolean): boolean {
    const used = getHeapStatistics().used_heap_size
    if (!isIdle || used < this.#lowest * grownFactor + grownBytes) return false
    this.#collect()
    this.#lowest = getHeapStatistics().used_heap_size
    return true
  }

  #isIdle(): boolean {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#last)
    this.#last = now
    return utilization <= idleShare
  }
}

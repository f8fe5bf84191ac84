import { type Event, RemoraError } from '@remora/protocol/plain'
import type { RunResult } from './result.ts'
import type { Stop } from './stop.ts'

/**
 * One run of an agent. Iterating it yields events, with exactly one `session` first and one `done` last; a slow reader
 * slows the agent down. If only `result` is awaited, events are discarded.
 */
export interface Run<Data = unknown> extends AsyncIterable<Event>, AsyncDisposable {
  readonly id: string
  readonly result: Promise<RunResult<Data>>
  /** Stops the agent and all its processes, or only its turn if the agent stays connected. */
  cancel(): Promise<void>
}

/** A run whose events arrive in batches. */
export class BatchedRun implements Run {
  readonly id: string
  readonly #stop: Stop
  readonly #batches: AsyncGenerator<Event[], RunResult, void>
  #first: Promise<IteratorResult<Event[], RunResult>> | undefined
  #reader: 'none' | 'iterator' | 'result' = 'none'
  #settle!: (result: RunResult) => void
  #fail!: (error: unknown) => void
  readonly #result: Promise<RunResult>

  constructor(id: string, stop: Stop, batches: AsyncGenerator<Event[], RunResult, void>) {
    this.id = id
    this.#stop = stop
    this.#result = new Promise((settle, fail) => {
      this.#settle = settle
      this.#fail = fail
    })
    // A caller that only iterates the events need not handle the result.
    this.#result.catch(() => {})
    this.#batches = batches
    // The agent starts immediately; its output waits for a reader.
    this.#first = this.#batches.next()
    this.#first.catch(() => {})
  }

  get result(): Promise<RunResult> {
    if (this.#reader === 'none') {
      this.#reader = 'result'
      void this.#drain()
    }
    return this.#result
  }

  async cancel(): Promise<void> {
    await this.#stop.now(cancelled())
    // Without a reader of the events, read them to the end here.
    if (this.#reader !== 'iterator') await this.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel()
    await this.#drain()
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    if (this.#reader !== 'none') {
      throw new RemoraError('usage', 'A run is read only once', {
        hint: 'Read its events before its result, and in one loop. To have them twice, give it a sink.',
      })
    }
    this.#reader = 'iterator'
    let batch: readonly Event[] = []
    let index = 0
    const refill = async (): Promise<IteratorResult<Event>> => {
      const more = await this.#next()
      if (more.done) return { done: true, value: undefined }
      batch = more.value
      index = 1
      return { done: false, value: batch[0]! }
    }
    return {
      // Not async: most events are ready, and a second promise per event would cost as much as reading it.
      next: () =>
        index < batch.length ? Promise.resolve({ done: false, value: batch[index++]! }) : refill(),
      // A `break` out of the loop stops the agent.
      return: async () => {
        await this.#stop.now(cancelled())
        await this.#drain()
        return { done: true, value: undefined }
      },
    }
  }

  async #drain(): Promise<void> {
    try {
      while (!(await this.#next()).done);
    } catch {
      // The error is in the result.
    }
  }

  async #next(): Promise<IteratorResult<Event[], RunResult>> {
    try {
      const next = await (this.#first ?? this.#batches.next())
      if (next.done && next.value) this.#settle(next.value)
      return next
    } catch (error) {
      this.#fail(error)
      throw error
    } finally {
      this.#first = undefined
    }
  }
}

function cancelled(): RemoraError {
  return new RemoraError('aborted', 'The run was cancelled')
}

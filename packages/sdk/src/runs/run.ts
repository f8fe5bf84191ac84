import { type Event, RemoraError } from '@remora/protocol/plain'
import type { RunResult } from './result.ts'
import type { Stop } from './stop.ts'

/**
 * One run of an agent. Reading it gives its events, exactly one `session` first and one `done` last; a slow reader
 * slows the agent. Whoever wants only the result awaits that, and nothing is kept.
 */
export interface Run<Data = unknown> extends AsyncIterable<Event>, AsyncDisposable {
  readonly id: string
  readonly result: Promise<RunResult<Data>>
  /** Ends the work of the agent: the whole of it with all that it started, or its turn where it is kept. */
  cancel(): Promise<void>
}

/** A run of events that come in batches and end with a result. */
export class BatchedRun implements Run {
  readonly id: string
  readonly #stop: Stop
  readonly #batches: AsyncGenerator<Event[], RunResult, void>
  #first: Promise<IteratorResult<Event[], RunResult>> | undefined
  #reader: 'nobody' | 'iterator' | 'result' = 'nobody'
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
    // Nobody has to look at the result of a run that is read by its events.
    this.#result.catch(() => {})
    this.#batches = batches
    // The agent starts at once; its output waits for a reader.
    this.#first = this.#batches.next()
    this.#first.catch(() => {})
  }

  get result(): Promise<RunResult> {
    if (this.#reader === 'nobody') {
      this.#reader = 'result'
      void this.#drain()
    }
    return this.#result
  }

  async cancel(): Promise<void> {
    await this.#stop.now(cancelled())
    // Whoever reads the events reads on to the end; otherwise that is for us to do.
    if (this.#reader !== 'iterator') await this.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel()
    await this.#drain()
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    if (this.#reader !== 'nobody') {
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
      // Not an async function: most events lie ready, and a second promise for each would cost as much as reading it.
      next: () =>
        index < batch.length ? Promise.resolve({ done: false, value: batch[index++]! }) : refill(),
      // `break` out of the loop ends the agent.
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
      // The result tells.
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

import { Worker } from 'node:worker_threads'
import type { Agent } from '../../agent.ts'
import type { ScanData } from './scan.ts'

/** What a helper is told. */
export interface ScanOrder {
  readonly agent: string
  readonly files: readonly string[]
  /** One place for each file: whoever sets it first reads the file. */
  readonly taken: Int32Array
}

/**
 * A second thread that reads some of the files, for a home with years of sessions in it. Each side takes the next file
 * that nobody has taken, the helper from the end.
 */
export class ScanHelper implements AsyncDisposable {
  readonly #worker: Worker
  readonly #places: ReadonlyMap<string, number>
  readonly #taken: Int32Array
  readonly #results: Promise<readonly ScanData[]>

  private constructor(agent: Agent, files: readonly string[], program: URL) {
    this.#taken = new Int32Array(new SharedArrayBuffer(4 * files.length))
    this.#places = new Map(files.map((path, index) => [path, index]))
    const workerData: ScanOrder = { agent: agent.id, files, taken: this.#taken }
    this.#worker = new Worker(program, { workerData })
    this.#worker.unref()
    this.#results = new Promise((resolve) => {
      this.#worker.once('message', (data: readonly ScanData[]) => resolve(data))
      // Without it all is read by one thread.
      this.#worker.once('error', () => resolve([]))
      this.#worker.once('exit', () => resolve([]))
    })
  }

  /** Undefined where the sources run as they are, as in tests: a thread needs a compiled file. */
  static start(agent: Agent, files: readonly string[]): ScanHelper | undefined {
    const own = import.meta.url
    return own.endsWith('.js')
      ? new ScanHelper(agent, files, new URL('../../scan-worker.js', own))
      : undefined
  }

  /** Whether the helper reads this file; if not, it is ours from now on. */
  hasTaken(path: string): boolean {
    const place = this.#places.get(path)
    return place !== undefined && !take(this.#taken, place)
  }

  results(): Promise<readonly ScanData[]> {
    return this.#results
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Whether we are the first to take a file. */
export function take(taken: Int32Array, place: number): boolean {
  return Atomics.compareExchange(taken, place, 0, 1) === 0
}

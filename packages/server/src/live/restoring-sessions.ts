import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionKey } from '@remora/ledger'
import { type LiveInfo, RemoraError } from '@remora/protocol'
import { type LiveRecord, findByName, toLiveInfo } from './live-record.ts'

/** How long after the start of the server requests wait for a session. Shorter than the timeout of the CLI. */
const waitMs = 12_000

interface Restoring {
  readonly record: LiveRecord
  /** Why the last attempt failed. */
  problem?: string
  readonly done: Promise<void>
  readonly finish: () => void
}

interface RestoreOptions {
  readonly attempt: () => Promise<void>
  readonly onError: (error: unknown) => void
  readonly signal: AbortSignal
}

const retryMs = [500, 2_000, 5_000, 15_000]

/** Sessions of the previous server process to which this one has not reattached yet. */
export class RestoringSessions {
  readonly #all = new Map<string, Restoring>()
  readonly #since = Date.now()
  readonly #waitMs: number

  constructor(timeoutMs = waitMs) {
    this.#waitMs = timeoutMs
  }

  [Symbol.iterator](): Iterator<LiveRecord> {
    return Array.from(this.#all.values(), ({ record }) => record).values()
  }

  add(record: LiveRecord): void {
    let finish = (): void => {}
    const done = new Promise<void>((resolve) => (finish = resolve))
    this.#all.set(record.id, { record, done, finish })
  }

  /** The session is managed again, or known to have ended. */
  finish(id: string): void {
    this.#all.get(id)?.finish()
    this.#all.delete(id)
  }

  /** Retries until the session is managed again or known to have ended. A session that cannot be reached may be either. */
  async retry(record: LiveRecord, { attempt, onError, signal }: RestoreOptions): Promise<void> {
    for (let round = 0; !signal.aborted; round++)
      try {
        await attempt()
        return this.finish(record.id)
      } catch (error) {
        const found = this.#all.get(record.id)
        if (found) found.problem = (error as Error).message
        onError(error)
        await sleep(retryMs[round] ?? 30_000, undefined, { signal, ref: false }).catch(() => {})
      }
  }

  has(id: string): boolean {
    return this.#all.has(id)
  }

  list(): LiveInfo[] {
    return Array.from(this, (record) => this.toInfo(record))
  }

  toInfo(record: LiveRecord): LiveInfo {
    const info = toLiveInfo(record, {
      state: 'starting',
      since: this.#since,
      asks: 0,
      queued: 0,
      detail: this.#all.get(record.id)?.problem ?? 'Reconnecting after a server restart',
      title: undefined,
      mode: record.told?.mode ?? record.starts,
      model: record.told?.model,
    })
    return { ...info, restoring: true }
  }

  findInfo(key: SessionKey): LiveInfo | undefined {
    const record = this.find(key)
    return record && this.toInfo(record)
  }

  /** By key, or by a word as in `findByName`. */
  find(name: string | SessionKey): LiveRecord | undefined {
    if (typeof name === 'string') {
      const id = findByName(this.list(), name)?.id
      return id === undefined ? undefined : this.#all.get(id)?.record
    }
    const { agent, session } = name
    return [...this].find(
      (record) => record.agent === agent && (record.session === session || record.id === session),
    )
  }

  /** Waits for the sessions that match, but not past the deadline that began with the server. */
  async wait(matches: (record: LiveRecord) => boolean = () => true): Promise<void> {
    const waiting = [...this.#all.values()].filter(({ record }) => matches(record))
    const leftMs = this.#since + this.#waitMs - Date.now()
    if (waiting.length === 0 || leftMs <= 0) return
    const late = new AbortController()
    await Promise.race([
      Promise.all(waiting.map(({ done }) => done)),
      sleep(leftMs, undefined, { ref: false, signal: late.signal }).catch(() => {}),
    ])
    late.abort()
  }

  /** Throws if the session is still not restored. */
  check(id: string): void {
    const found = this.#all.get(id)
    if (!found) return
    throw new RemoraError(
      'overloaded',
      `Session ${id} is still being restored${found.problem === undefined ? '' : `: ${found.problem}`}`,
      { hint: 'Try again in a moment, or see why: remora logs' },
    )
  }
}

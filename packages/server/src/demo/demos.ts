import { randomUUID } from 'node:crypto'
import { RemoraError, type LiveInfo, type StartRequest } from '@remora/protocol'
import type { Demo } from '@remora/protocol/api'
import type { Context } from '../core/context.ts'
import { toErrorResponse } from '../security/http-error.ts'

/** Reports the current step. */
export type DemoProgress = (
  step: 'installing' | 'starting',
  more?: { readonly usualSeconds?: number; readonly megabytes?: number },
) => void

/** Provides the demo, since the server itself knows no demo agent. */
export interface DemoSource {
  /** Prepares the agent and its folder, and returns the request that starts the session. */
  prepare(report: DemoProgress, signal: AbortSignal): Promise<StartRequest>
}

const expectedStartSeconds = 8

/** Runs one demo at a time. */
export class Demos {
  readonly #context: Context
  readonly #source: DemoSource | undefined
  #starting: Promise<LiveInfo> | undefined
  #state: Demo = { state: 'none' }
  #since = 0
  #live: string | undefined

  constructor(context: Context, source: DemoSource | undefined) {
    this.#context = context
    this.#source = source
  }

  get state(): Demo {
    const { state } = this.#state
    if (state === 'installing' || state === 'starting')
      return { ...this.#state, seconds: Math.floor((Date.now() - this.#since) / 1000) }
    if (state !== 'ready') return this.#state
    const live = this.#findRunning()
    return live ? { state, live } : { state: 'none' }
  }

  /** Starts the demo, or returns the one that is starting. */
  start(): Promise<LiveInfo> {
    const live = this.#findRunning()
    // A demo in the middle of a turn is returned, because a new one would overwrite its files.
    if (live && live.state !== 'idle' && live.state !== 'error') return Promise.resolve(live)
    this.#starting ??= this.#start(live).finally(() => (this.#starting = undefined))
    return this.#starting
  }

  async #start(before: LiveInfo | undefined): Promise<LiveInfo> {
    const { live, log, signal } = this.#context
    try {
      if (!this.#source)
        throw new RemoraError('unsupported', 'The demo is not available on this server', {
          hint: 'On the computer: remora demo',
        })
      this.#report('starting', { usualSeconds: expectedStartSeconds })
      if (before) await this.#end(before)
      const request = await this.#source.prepare(
        (step, more) =>
          this.#report(step, step === 'starting' ? { usualSeconds: expectedStartSeconds } : more),
        signal,
      )
      const started = await live.start(request)
      this.#live = started.id
      this.#state = { state: 'ready' }
      return started
    } catch (error) {
      log('error', 'Cannot start the demo', { why: String(error) })
      this.#state = { state: 'failed', error: toErrorResponse(error).error }
      throw error
    }
  }

  /** Ends an earlier demo; it stays in the history. */
  async #end({ agent, session }: LiveInfo): Promise<void> {
    const { live } = this.#context
    const end = {
      id: randomUUID(),
      client: 'demo',
      target: { agent, session },
      body: { kind: 'end' as const },
    }
    await live.submit(end).catch(() => {})
  }

  #report(state: 'installing' | 'starting', more: Parameters<DemoProgress>[1] = {}): void {
    this.#since = Date.now()
    this.#state = { state, ...more }
  }

  #findRunning(): LiveInfo | undefined {
    const live = this.#live === undefined ? undefined : this.#context.live.find(this.#live)
    return live?.state === 'ended' ? undefined : live
  }
}

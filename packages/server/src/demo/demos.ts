import { randomUUID } from 'node:crypto'
import { RemoraError, type LiveInfo, type StartRequest } from '@remora/protocol'
import type { Demo } from '@remora/protocol/api'
import type { Context } from '../core/context.ts'
import { toErrorResponse } from '../security/http-error.ts'

/** Tells what takes its time now. */
export type DemoTell = (
  step: 'installing' | 'starting',
  more?: { readonly usualSeconds?: number; readonly megabytes?: number },
) => void

/** What the demo is made of: the server knows how to start a session, and nothing of the agent in it. */
export interface DemoSource {
  /** Makes the agent and its folder ready, and gives what the session is started with. */
  prepare(tell: DemoTell, signal: AbortSignal): Promise<StartRequest>
}

const usualStartSeconds = 8

/** The demo: one at a time, however often it is asked for. */
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

  /** How far it is. */
  get state(): Demo {
    const { state } = this.#state
    if (state === 'installing' || state === 'starting')
      return { ...this.#state, seconds: Math.floor((Date.now() - this.#since) / 1000) }
    if (state !== 'ready') return this.#state
    const live = this.#going()
    return live ? { state, live } : { state: 'none' }
  }

  /** Starts it, or joins who has started it already. */
  start(): Promise<LiveInfo> {
    const live = this.#going()
    // One in the middle of its turn is the one that is meant; the files of the next would spoil it.
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
      this.#tell('starting', { usualSeconds: usualStartSeconds })
      if (before) await this.#end(before)
      const request = await this.#source.prepare(
        (step, more) => this.#tell(step, step === 'starting' ? { usualSeconds: usualStartSeconds } : more),
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

  /** An earlier one that has nothing more to say makes room: it stays in the history. */
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

  #tell(state: 'installing' | 'starting', more: Parameters<DemoTell>[1] = {}): void {
    this.#since = Date.now()
    this.#state = { state, ...more }
  }

  #going(): LiveInfo | undefined {
    const live = this.#live === undefined ? undefined : this.#context.live.find(this.#live)
    return live?.state === 'ended' ? undefined : live
  }
}

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Screen } from '../contract/agent.ts'
import type { KeyModes } from './encode-key.ts'
import { findProgram } from './find-program.ts'

/** What is asked of the thread. It answers after it has read all earlier output. */
export type ScreenQuestion =
  | { readonly ask: 'snapshot' }
  /** With the rows above the screen. */
  | { readonly ask: 'history' }
  | { readonly ask: 'check'; readonly shown: readonly string[] }

/** The answer to each question. */
export interface ScreenAnswers {
  snapshot: { readonly screen: Screen; readonly rows: number; readonly drawing: string }
  history: { readonly drawing: string }
  check: { readonly shows: boolean; readonly modes: KeyModes }
}

export type ToThread =
  | { readonly write: Uint8Array }
  | { readonly size: readonly [columns: number, rows: number] }
  | { readonly reset: true }
  | { readonly id: number; readonly question: ScreenQuestion }

export type FromThread =
  /** So many bytes are part of the screen now. */
  | { readonly read: number }
  /** The answer to a terminal query of the agent. */
  | { readonly answer: string }
  | { readonly id: number; readonly value: unknown }

/**
 * The screen model in a thread of its own: emulating a terminal takes five times as long as passing its bytes on.
 *
 * @example
 * thread.write(bytes)
 * const { screen } = await thread.ask({ ask: 'snapshot' })
 */
export class ScreenThread {
  /** How many bytes the model has still to read. */
  backlog = 0
  readonly #worker: Worker
  readonly #waiting = new Map<number, (value: unknown) => void>()
  #count = 0

  private constructor(worker: Worker, events: { answer(text: string): void; read(): void }) {
    this.#worker = worker
    worker.on('message', (message: FromThread) => {
      if ('read' in message) {
        this.backlog -= message.read
        events.read()
      } else if ('answer' in message) events.answer(message.answer)
      else {
        this.#waiting.get(message.id)?.(message.value)
        this.#waiting.delete(message.id)
      }
    })
  }

  static async start(
    size: { readonly columns: number; readonly rows: number },
    events: { answer(text: string): void; read(): void },
  ): Promise<ScreenThread> {
    const worker = new Worker(findProgram('pty-screen'), { workerData: size })
    const thread = new ScreenThread(worker, events)
    await once(worker, 'online')
    return thread
  }

  write(bytes: Buffer): void {
    this.backlog += bytes.length
    this.#post({ write: bytes })
  }

  resize(columns: number, rows: number): void {
    this.#post({ size: [columns, rows] })
  }

  reset(): void {
    this.#post({ reset: true })
  }

  ask<Ask extends ScreenQuestion>(question: Ask): Promise<ScreenAnswers[Ask['ask']]> {
    const id = this.#count++
    return new Promise((resolve) => {
      this.#waiting.set(id, (value) => resolve(value as ScreenAnswers[Ask['ask']]))
      this.#post({ id, question })
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #post(message: ToThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage(message)
  }
}

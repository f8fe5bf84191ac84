/** Why a command shall end. */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EPIPE'

/** Some, as timeout(1), tell a process and its group: that is one wish, told twice. */
const togetherMs = 30

/** How this process is told to end, for commands that have something to end first. */
export class StopSignal {
  readonly #controller = new AbortController()
  #listening = false
  #stoppedAt = 0

  /** Whether the command was told to end. */
  get stopped(): boolean {
    return this.#controller.signal.aborted
  }

  /** From the first call on, the signals no longer end the process by themselves; a second one still does. */
  listen(): AbortSignal {
    if (!this.#listening) {
      this.#listening = true
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => this.#stop(name))
    }
    return this.#controller.signal
  }

  /** The reader of standard output has gone, which is its good right: `remora … | head`. */
  readerGone(): void {
    if (!this.#listening) process.exit(0)
    this.#controller.abort('EPIPE' satisfies StopReason)
  }

  #stop(reason: StopReason): void {
    if (Date.now() - this.#stoppedAt < togetherMs) return
    this.#stoppedAt = Date.now()
    // What the command has started is then ended by whoever watches over it.
    if (this.#controller.signal.aborted) process.exit(130)
    this.#controller.abort(reason)
  }
}

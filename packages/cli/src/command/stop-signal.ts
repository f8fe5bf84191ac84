/** Why a command must stop. */
type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EPIPE'

/** timeout(1) signals a process and its group, so one stop can arrive twice. */
const togetherMs = 30

/** Turns stop signals into an AbortSignal, for commands that must clean up. */
export class StopSignal {
  readonly #controller = new AbortController()
  #listening = false
  #stoppedAt = 0

  /** Whether a stop was requested. */
  get stopped(): boolean {
    return this.#controller.signal.aborted
  }

  /** After the first call, a signal no longer exits the process; a second signal still does. */
  listen(): AbortSignal {
    if (!this.#listening) {
      this.#listening = true
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => this.#stop(name))
    }
    return this.#controller.signal
  }

  /** Called when the reader of standard output closes it, as in `remora … | head`. */
  readerGone(): void {
    if (!this.#listening) process.exit(0)
    this.#controller.abort('EPIPE' satisfies StopReason)
  }

  #stop(reason: StopReason): void {
    if (Date.now() - this.#stoppedAt < togetherMs) return
    this.#stoppedAt = Date.now()
    // Child processes have their own watchdog, so exiting here leaves none behind.
    if (this.#controller.signal.aborted) process.exit(130)
    this.#controller.abort(reason)
  }
}

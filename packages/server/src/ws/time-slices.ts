/** How long the work may block the event loop at a time. */
const sliceMs = 20

/** Runs small tasks in order, and lets other work run in between. */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  /** Runs the task soon, after earlier ones. */
  add(work: () => void): void {
    this.#waiting.push(work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const end = performance.now() + sliceMs
      const due = this.#waiting.length
      let done = 0
      try {
        while (done < due && (done === 0 || performance.now() < end)) this.#waiting[done++]!()
      } finally {
        this.#waiting.splice(0, done)
        if (this.#waiting.length > 0) this.#schedule()
      }
    })
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { killTree } from '../../process/kill-tree.ts'
import { startTime } from '../../process/process-table.ts'
import type { PaneFacts } from './capture.ts'

/** How often one that asks for it, or that hangs, is started again. */
const most = 3
/** So long a program needs to be there. */
const beginMs = 250

/** Starts an agent again that asks for it by its exit code, or hangs. Nobody else would: tmux alone knows its command. */
export class Restarts {
  readonly #code: number | undefined
  readonly #again: () => Promise<unknown>
  readonly #check: () => void
  #left = most
  #under = false

  constructor(code: number | undefined, again: () => Promise<unknown>, check: () => void) {
    this.#code = code
    this.#again = again
    this.#check = check
  }

  /** Whether that is how it ended, and it is started again. Only in panes of our own. */
  take({ code, run }: PaneFacts): boolean {
    if (this.#under) return true
    if (code === undefined || code !== this.#code || run === undefined || this.#left === 0) return false
    this.#begin(this.#again())
    return true
  }

  /** Ends one that hangs, and starts it again. Whether that may be: its end is then none. */
  replace({ pid, run }: PaneFacts): boolean {
    if (this.#under) return true
    if (run === undefined || this.#left === 0) return false
    const ended = startTime(pid).then((began) => killTree({ pid, startTime: began, run }))
    this.#begin(ended.then(this.#again))
    return true
  }

  #begin(again: Promise<unknown>): void {
    this.#left--
    this.#under = true
    void again
      .then(() => sleep(beginMs))
      .catch(() => (this.#left = 0))
      .finally(() => {
        this.#under = false
        this.#check()
      })
  }
}

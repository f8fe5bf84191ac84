import { setTimeout as sleep } from 'node:timers/promises'
import { killTree } from '../../process/kill-tree.ts'
import { startTime } from '../../process/process-table.ts'
import type { PaneFacts } from './capture.ts'

/** How often an agent is restarted. */
const maxRestarts = 3
/** How long a program takes to start. */
const startMs = 250

/** Restarts an agent that requests it by its exit code, or hangs. tmux does it, since it has the command. */
export class Restarts {
  readonly #code: number | undefined
  readonly #restart: () => Promise<unknown>
  readonly #check: () => void
  #left = maxRestarts
  #isRestarting = false

  constructor(code: number | undefined, again: () => Promise<unknown>, check: () => void) {
    this.#code = code
    this.#restart = again
    this.#check = check
  }

  /** Restarts an agent that exited with that code, in panes that Remora started. Returns whether it does. */
  take({ code, run }: PaneFacts): boolean {
    if (this.#isRestarting) return true
    if (code === undefined || code !== this.#code || run === undefined || this.#left === 0) return false
    this.#begin(this.#restart())
    return true
  }

  /** Kills an agent that hangs and restarts it. Returns false if it must not be restarted. */
  replace({ pid, run }: PaneFacts): boolean {
    if (this.#isRestarting) return true
    if (run === undefined || this.#left === 0) return false
    const ended = startTime(pid).then((since) => killTree({ pid, startTime: since, run }))
    this.#begin(ended.then(this.#restart))
    return true
  }

  #begin(again: Promise<unknown>): void {
    this.#left--
    this.#isRestarting = true
    void again
      .then(() => sleep(startMs))
      .catch(() => (this.#left = 0))
      .finally(() => {
        this.#isRestarting = false
        this.#check()
      })
  }
}

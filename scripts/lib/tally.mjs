import { printFailure } from './setup-error.mjs'
import { duration } from './progress.mjs'

/** Counts passed and failed checks and tests. */
export class Tally {
  passed = 0
  failed = 0
  /** Milliseconds by part, for the budget. */
  spent = new Map()

  add({ passed, failed }) {
    this.passed += passed
    this.failed += failed
  }

  /** One check: passes when the action returns, fails when it throws. Resolves to whether it passed. */
  async check(title, action) {
    const started = performance.now()
    try {
      await action()
      this.passed += 1
      console.log(`  ok    ${title} (${duration(performance.now() - started)})`)
      return true
    } catch (error) {
      this.failed += 1
      console.log(`  FAIL  ${title} (${duration(performance.now() - started)})`)
      printFailure(error)
      return false
    }
  }

  /** A group of checks and tests under a heading, timed for the budget. */
  async part(title, action) {
    const started = performance.now()
    console.log(`\n── ${title} ── ${duration(performance.now())} since the start`)
    try {
      return await action()
    } finally {
      this.spent.set(title, performance.now() - started)
    }
  }

  /** The last line of every run. */
  line() {
    return `${this.passed} passed, ${this.failed} failed`
  }
}

import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Feedback, FeedbackState } from './tool-rules.ts'

/**
 * Warns with every result when little time is left.
 *
 * @example toolRules: { feedback: [deadlineFeedback(60_000)] }
 */
export function deadlineFeedback(ms = 120_000): Feedback {
  return {
    after: { calls: 1 },
    say({ remainingMs }) {
      if (remainingMs === undefined || remainingMs > ms) return undefined
      if (remainingMs <= 0) return 'The time is up. Finish at once.'
      return `Only ${Math.ceil(remainingMs / 1000)} seconds are left. Finish what matters most.`
    },
  }
}

/** Tracks sent feedback and returns what is due after each call. */
export class FeedbackRun {
  readonly #feedback: readonly Feedback[]
  readonly #cwd: string
  readonly #now: () => number
  readonly #began: number
  /** When timed feedback was last sent, and which file feedback is done. */
  readonly #sentAt = new Map<Feedback, number>()

  constructor(feedback: readonly Feedback[], cwd: string, now: () => number = Date.now) {
    for (const { after } of feedback) checkAfter(after)
    this.#feedback = feedback
    this.#cwd = cwd
    this.#now = now
    this.#began = now()
  }

  /** The feedback that is due after this many calls. */
  async due(calls: number, deadline: Date | undefined): Promise<string[]> {
    const now = this.#now()
    const state: FeedbackState = {
      calls,
      seconds: (now - this.#began) / 1000,
      ...(deadline ? { remainingMs: deadline.getTime() - now } : {}),
    }
    const texts: string[] = []
    for (const each of this.#feedback) {
      if (!(await this.#isDue(each, calls, now))) continue
      const formatted = formatFeedback(each, state)
      if (formatted !== undefined && formatted !== '') texts.push(formatted)
    }
    return texts
  }

  async #isDue(feedback: Feedback, calls: number, now: number): Promise<boolean> {
    const { after } = feedback
    if ('calls' in after) return calls > 0 && calls % after.calls === 0
    const last = this.#sentAt.get(feedback)
    if ('seconds' in after) {
      if (now - (last ?? this.#began) < after.seconds * 1000) return false
    } else if (last !== undefined || !(await isThere(resolve(this.#cwd, after.file)))) return false
    // Only one of two calls that end together may send it.
    if (this.#sentAt.get(feedback) !== last) return false
    this.#sentAt.set(feedback, now)
    return true
  }
}

function formatFeedback({ say }: Feedback, state: FeedbackState): string | undefined {
  if (typeof say === 'string') return say
  try {
    return say(state)
  } catch {
    // Failing feedback must not lose the result of the call.
    return undefined
  }
}

function checkAfter(after: Feedback['after']): void {
  const right =
    'calls' in after
      ? Number.isInteger(after.calls) && after.calls > 0
      : 'seconds' in after
        ? Number.isFinite(after.seconds) && after.seconds > 0
        : after.file !== ''
  if (right) return
  throw new RemoraError('usage', `toolRules: feedback after ${JSON.stringify(after)} never comes`, {
    hint: 'Give { calls } or { seconds } above zero, or { file }.',
  })
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Feedback, FeedbackState } from './tool-rules.ts'

/**
 * Warns with every result once little time is left.
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

/** Remembers what was said, and says after each call what is due. */
export class FeedbackRun {
  readonly #feedback: readonly Feedback[]
  readonly #cwd: string
  readonly #now: () => number
  readonly #began: number
  /** When those by time were last said, and which of those by file are through. */
  readonly #saidAt = new Map<Feedback, number>()

  constructor(feedback: readonly Feedback[], cwd: string, now: () => number = Date.now) {
    for (const { after } of feedback) checkAfter(after)
    this.#feedback = feedback
    this.#cwd = cwd
    this.#now = now
    this.#began = now()
  }

  /** What is to be said after so many calls. */
  async due(calls: number, deadline: Date | undefined): Promise<string[]> {
    const now = this.#now()
    const state: FeedbackState = {
      calls,
      seconds: (now - this.#began) / 1000,
      ...(deadline ? { remainingMs: deadline.getTime() - now } : {}),
    }
    const said: string[] = []
    for (const each of this.#feedback) {
      if (!(await this.#isDue(each, calls, now))) continue
      const words = formatFeedback(each, state)
      if (words !== undefined && words !== '') said.push(words)
    }
    return said
  }

  async #isDue(feedback: Feedback, calls: number, now: number): Promise<boolean> {
    const { after } = feedback
    if ('calls' in after) return calls > 0 && calls % after.calls === 0
    const last = this.#saidAt.get(feedback)
    if ('seconds' in after) {
      if (now - (last ?? this.#began) < after.seconds * 1000) return false
    } else if (last !== undefined || !(await isThere(resolve(this.#cwd, after.file)))) return false
    // Two calls that end together must not both say it.
    if (this.#saidAt.get(feedback) !== last) return false
    this.#saidAt.set(feedback, now)
    return true
  }
}

function formatFeedback({ say }: Feedback, state: FeedbackState): string | undefined {
  if (typeof say === 'string') return say
  try {
    return say(state)
  } catch {
    // Good advice is no reason to lose the result that it would have come with.
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

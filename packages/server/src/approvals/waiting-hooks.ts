import type { ScreenAsk } from '@remora/sdk/hooks'
import type { Approvals } from './approvals.ts'
import { type HookPayload, type KnownByHook, joinAsk } from './join-ask.ts'

/** What Claude reads on the standard output of its hook; with nothing in it the dialog stays as it is. */
export type HookOutput =
  | Record<string, never>
  | {
      readonly hookSpecificOutput: {
        readonly hookEventName: 'PermissionRequest'
        readonly decision:
          | { readonly behavior: 'allow' }
          | { readonly behavior: 'deny'; readonly message: string; readonly interrupt: true }
      }
    }

export interface WaitingHook {
  readonly live: string
  readonly payload: HookPayload
  /** Ends the waiting when the agent does not want to know any more. */
  readonly signal: AbortSignal
}

/** How a waiting hook takes an answer, and what it knows of the question beyond the screen. */
export interface HookReply {
  readonly more: KnownByHook
  /** `gone` where the hook does not wait any longer; then the dialog is all that is left. */
  answer(effect: 'allow' | 'deny'): Promise<'done' | 'gone'>
}

interface Waiting extends WaitingHook {
  readonly end: (output: HookOutput) => void
  readonly since: number
  joined: boolean
}

/** So long an answer may take to come by the hook, after it was given. */
const graceMs = 10_000
/** So long a dialog may take to be seen after its hook was started. */
const dialogMs = 5000
/** So long a hook may come after its dialog: it is a process that has to be started first. */
const arrivalMs = 1500

/**
 * Hooks of agents that wait for a decision while their dialog is on the screen as well. Whatever happens to us, they are
 * told nothing, and the dialog stays.
 *
 * @example
 * const hooks = new WaitingHooks({ signal })
 * session.hook = (shown) => hooks.soon(session.id, shown)
 */
export class WaitingHooks {
  readonly #waiting = new Map<string, Set<Waiting>>()
  readonly #listeners = new Set<(live: string) => void>()

  constructor({ signal }: { readonly signal: AbortSignal }) {
    signal.addEventListener('abort', () => {
      for (const live of this.#waiting.keys()) this.release(live)
    })
  }

  /** Tells that a hook has begun to wait: the dialog may have been on the screen before it. */
  on(listener: (live: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Settles with what the hook shall print. */
  wait({ live, payload, signal }: WaitingHook): Promise<HookOutput> {
    return new Promise((resolve) => {
      const all = this.#waiting.get(live) ?? new Set()
      const stop = (): void => end({})
      const end = (output: HookOutput): void => {
        signal.removeEventListener('abort', stop)
        all.delete(waiting)
        if (all.size === 0 && this.#waiting.get(live) === all) this.#waiting.delete(live)
        resolve(output)
      }
      const waiting: Waiting = { live, payload, signal, end, since: Date.now(), joined: false }
      all.add(waiting)
      this.#waiting.set(live, all)
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) return stop()
      for (const listener of this.#listeners) listener(live)
    })
  }

  /** How many wait. */
  waiting(live: string): number {
    return this.#waiting.get(live)?.size ?? 0
  }

  /** The hook that waits for what is shown, if one does. */
  reply(live: string, shown: Omit<ScreenAsk, 'options'>): HookReply | undefined {
    for (const waiting of this.#waiting.get(live) ?? []) {
      const more = waiting.joined ? undefined : joinAsk(shown, waiting.payload)
      if (!more) continue
      waiting.joined = true
      return { more, answer: async (effect) => this.#answer(waiting, effect) }
    }
    return undefined
  }

  /** The same, for a hook that may come a moment after its dialog. */
  async soon(
    live: string,
    shown: Omit<ScreenAsk, 'options'>,
    withinMs = arrivalMs,
  ): Promise<HookReply | undefined> {
    const now = this.reply(live, shown)
    if (now || shown.kind !== 'permission') return now
    return new Promise((resolve) => {
      const done = (reply: HookReply | undefined): void => {
        clearTimeout(timer)
        off()
        resolve(reply)
      }
      const timer = setTimeout(() => done(undefined), withinMs)
      const off = this.on((other) => {
        const reply = other === live ? this.reply(live, shown) : undefined
        if (reply) done(reply)
      })
    })
  }

  /** The dialog is over, or the session: its hooks need not wait any longer. */
  release(live: string): void {
    for (const { end } of this.#waiting.get(live) ?? []) end({})
  }

  /**
   * The session does not ask: hooks that have waited for a while wait for a dialog that is over, or that no hook can
   * answer, such as a question.
   */
  idle(live: string, forMs = dialogMs): void {
    for (const { end, since } of this.#waiting.get(live) ?? []) if (Date.now() - since >= forMs) end({})
  }

  /** Lets go of the hooks of a session whose asks are settled. Gives the function that ends it. */
  heed(approvals: Pick<Approvals, 'on'>): () => void {
    return approvals.on((change) => {
      if (change.type !== 'settled') return
      const live = change.answer.ask.replace(/\/ask\/.*$/s, '')
      const joined = [...(this.#waiting.get(live) ?? [])].filter((each) => each.joined)
      const over = change.answer.by === 'terminal' || change.answer.by === 'cancel'
      for (const { end } of joined) {
        if (over) end({})
        // An answer that goes by keys leaves the hook behind.
        else setTimeout(() => end({}), graceMs).unref()
      }
    })
  }

  #answer(waiting: Waiting, effect: 'allow' | 'deny'): 'done' | 'gone' {
    if (!this.#waiting.get(waiting.live)?.has(waiting)) return 'gone'
    waiting.end(outputOf(effect))
    return 'done'
  }
}

/** A denial also ends the turn, as "No" in Claude's own dialog does: the agent waits for the user instead of trying another way. */
function outputOf(effect: 'allow' | 'deny'): HookOutput {
  const decision =
    effect === 'allow'
      ? ({ behavior: 'allow' } as const)
      : ({ behavior: 'deny', message: 'The user denied this request.', interrupt: true } as const)
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
}

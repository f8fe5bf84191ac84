import type { ScreenAsk } from '@remora/sdk/hooks'
import {
  type DialogText,
  type HookPayload,
  type KnownByHook,
  type ReportedCall,
  readPayload,
  scoreCall,
} from './join-ask.ts'

/** A dialog as far as it matters for finding its hook. */
export type ShownDialog = DialogText & Pick<ScreenAsk, 'kind'>

/** What Claude reads on the standard output of its hook. An empty object leaves the decision to the dialog. */
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
  /** Aborts when the agent has stopped the hook. */
  readonly signal: AbortSignal
}

/** A waiting hook that belongs to a dialog: its exact call, and how it takes an answer. */
export interface HookReply {
  readonly more: KnownByHook & ReportedCall
  /** `gone` if the hook no longer waits; then only the dialog can be answered. */
  answer(effect: 'allow' | 'deny'): Promise<'done' | 'gone'>
  /** The dialog was not opened as an ask after all: the hook can be claimed again. */
  unclaim(): void
  /** The dialog is over: the hook ends without a decision. */
  end(): void
}

interface Waiting extends WaitingHook {
  readonly end: (output: HookOutput) => void
  readonly since: number
  joined: boolean
}

/** How long a dialog may take to be seen after its hook was started. */
const dialogMs = 5000
/** How long a new dialog waits for its hook, which is a process that has to start. A later hook is joined when it arrives. */
const arrivalMs = 1500

/**
 * Hooks of agents that wait for a decision while the screen shows the dialog too. If the server stops, the hooks end
 * without a decision and the dialog stays.
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

  /** Subscribes to new hooks: a dialog may be on the screen before its hook waits. */
  on(listener: (live: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves with the output of the hook. */
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

  /** How many hooks of a session wait. */
  waiting(live: string): number {
    return this.#waiting.get(live)?.size ?? 0
  }

  /** Claims the hook whose call the dialog shows, if one waits. */
  reply(live: string, shown: ShownDialog): HookReply | undefined {
    if (shown.kind !== 'permission') return undefined
    let best:
      | { readonly waiting: Waiting; readonly more: HookReply['more']; readonly score: number }
      | undefined
    for (const waiting of this.#waiting.get(live) ?? []) {
      const more = waiting.joined ? undefined : readPayload(waiting.payload)
      const score = more ? scoreCall(shown, more) : 0
      if (more && score > (best?.score ?? 0)) best = { waiting, more, score }
    }
    if (!best) return undefined
    const { waiting, more } = best
    waiting.joined = true
    return {
      more,
      answer: async (effect) => this.#answer(waiting, effect),
      unclaim: () => (waiting.joined = false),
      end: () => waiting.end({}),
    }
  }

  /** The same, for a hook that may come a moment after its dialog. */
  async soon(live: string, shown: ShownDialog, withinMs = arrivalMs): Promise<HookReply | undefined> {
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

  /** Ends all hooks of a session without a decision. */
  release(live: string): void {
    for (const { end } of this.#waiting.get(live) ?? []) end({})
  }

  /**
   * Ends old hooks of a session that shows no dialog: their dialog is over, or is one that no hook can answer, such as a
   * question.
   */
  idle(live: string, forMs = dialogMs): void {
    for (const { end, since } of this.#waiting.get(live) ?? []) if (Date.now() - since >= forMs) end({})
  }

  #answer(waiting: Waiting, effect: 'allow' | 'deny'): 'done' | 'gone' {
    if (!this.#waiting.get(waiting.live)?.has(waiting)) return 'gone'
    waiting.end(createOutput(effect))
    return 'done'
  }
}

/** A denial also ends the turn, as "No" in Claude's own dialog does: the agent waits for the user instead of trying another way. */
function createOutput(effect: 'allow' | 'deny'): HookOutput {
  const decision =
    effect === 'allow'
      ? ({ behavior: 'allow' } as const)
      : ({ behavior: 'deny', message: 'The user denied this request.', interrupt: true } as const)
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
}

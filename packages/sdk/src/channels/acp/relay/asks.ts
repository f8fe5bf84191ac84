import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Ask, type AskBroker, RemoraError } from '@remora/protocol/plain'
import { asRecord } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { settled } from '../reading/permission.ts'

/** A permission request that was sent to both the editor and the broker. */
export interface RelayedAsk {
  /** The id of the agent's request. */
  readonly request: unknown
  readonly session: string
  readonly ask: Ask
}

interface Waiting extends RelayedAsk {
  readonly controller: AbortController
  /** The broker's answer; undefined if it has none. */
  readonly outcome: Promise<Answer | undefined>
  editorReplied: boolean
}

/** The result of an editor's reply. */
export type Fate =
  | { readonly won: true; readonly answer: Answer }
  /** Another client was first: the agent has the answer already, or still has to get this one. */
  | { readonly won: false; readonly decided: RelayedAsk & { readonly answer: Answer } }
  | { readonly won: false; readonly decided?: undefined }

/** A broker that ignores its signal must not block the user of the editor. */
const patienceMs = 5_000

/** Asks that both the editor and the broker may answer. The first answer wins. */
export class RelayedAsks {
  readonly #broker: AskBroker
  readonly #agent: string
  readonly #handlers: RelayedAskHandlers
  readonly #waiting = new Map<string, Waiting>()
  /** Requests that were answered elsewhere, to which the editor may still reply. */
  readonly #late = new Set<string>()

  constructor(broker: AskBroker, agent: string, handlers: RelayedAskHandlers) {
    this.#broker = broker
    this.#agent = agent
    this.#handlers = handlers
  }

  open(about: RelayedAsk): void {
    const key = toKey(about.request)
    const controller = new AbortController()
    const waiting: Waiting = {
      ...about,
      controller,
      outcome: this.#ask(about, controller.signal),
      editorReplied: false,
    }
    this.#late.delete(key)
    this.#waiting.set(key, waiting)
    void waiting.outcome.then((answer) => {
      if (!answer || waiting.editorReplied || this.#waiting.get(key) !== waiting) return
      this.#waiting.delete(key)
      this.#late.add(key)
      this.#handlers.answered({ ...about, answer })
    })
  }

  async #ask({ ask, session }: RelayedAsk, signal: AbortSignal): Promise<Answer | undefined> {
    try {
      return await this.#broker.ask(ask, { agent: this.#agent, session, signal })
    } catch (error) {
      // The editor can still answer.
      if (!signal.aborted) this.#handlers.failed(error)
      return undefined
    }
  }

  /** Whether the editor's reply wins; undefined if the request was not such an ask. */
  async editorReplied(reply: AgentRecord): Promise<Fate | undefined> {
    const key = toKey(reply['id'])
    if (this.#late.delete(key)) return { won: false }
    const waiting = this.#waiting.get(key)
    if (!waiting) return undefined
    waiting.editorReplied = true
    const { ask, request, session, controller, outcome } = waiting
    const { answer } = settled({ ask }, asRecord(reply['result']), { by: 'person', device: 'editor' })
    // The broker records it, unless another client was faster.
    controller.abort(answer)
    const other = await bounded(outcome)
    this.#waiting.delete(key)
    if (!other || isSame(other, answer)) return { won: true, answer }
    return { won: false, decided: { request, session, ask, answer: other } }
  }

  /** The agent no longer needs an answer. */
  cancel(request: unknown): void {
    const key = toKey(request)
    this.#waiting
      .get(key)
      ?.controller.abort(new RemoraError('aborted', 'The agent has withdrawn its request'))
    this.#waiting.delete(key)
  }

  /** Takes the asks of a session whose turn is cancelled; they need no answer any more. */
  withdraw(session: string): (RelayedAsk & { readonly answer: Answer })[] {
    return [...this.#waiting]
      .filter(([, waiting]) => waiting.session === session && !waiting.editorReplied)
      .map(([key, { controller, ask, request }]) => {
        const answer: Answer = { ask: ask.id, by: 'cancel', digest: ask.digest }
        this.#waiting.delete(key)
        this.#late.add(key)
        controller.abort(answer)
        return { request, session, ask, answer }
      })
  }

  /** The agent has ended and cannot receive an answer. */
  async abandon(): Promise<void> {
    const left = [...this.#waiting.values()]
    this.#waiting.clear()
    const reason = new RemoraError('aborted', 'The agent has ended')
    for (const { controller } of left) controller.abort(reason)
    await Promise.all(left.map(({ outcome }) => bounded(outcome)))
  }
}

export interface RelayedAskHandlers {
  /** Another client than the editor has answered. */
  answered(ask: RelayedAsk & { readonly answer: Answer }): void
  failed(error: unknown): void
}

async function bounded<T>(promise: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController()
  try {
    return await Promise.race([promise, sleep(patienceMs, undefined, { signal: stop.signal, ref: false })])
  } finally {
    stop.abort()
  }
}

function isSame(left: Answer, right: Answer): boolean {
  return left.option === right.option && left.by === right.by && left.device === right.device
}

/** Ids are numbers or strings, and `1` is not `"1"`. */
export function toKey(id: unknown): string {
  return JSON.stringify(id) ?? ''
}

/** What the agent gets for an answer. @example toOutcome({ …, option: 'proceed_once' }) */
export function toOutcome({ option }: Answer): object {
  return option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option }
}

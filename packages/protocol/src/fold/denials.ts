import type { Ask } from '../ask.ts'
import type { Event, EventOf } from '../event.ts'
import { callEntity } from './call.ts'

/** One denial, and the call that it was about. */
interface Denial {
  readonly at: number
  /** The entity of the call, where the ask names it. */
  readonly entity?: string | undefined
  /** Tool and input in Claude's words. */
  readonly call?: string
}

/** The calls that were denied by an answer. Codex writes down a denial as it does an interruption, so only the answer tells. */
export class Denials {
  readonly #denials: Denial[] = []

  constructor(events: readonly Event[]) {
    const asks = new Map<string, Ask>()
    for (const event of events) if (event.type === 'ask') asks.set(event.ask.id, event.ask)
    for (const event of events) {
      const ask = event.type === 'answer' ? asks.get(event.answer.ask) : undefined
      if (event.type !== 'answer' || ask?.kind !== 'permission') continue
      const chosen = ask.options.find(({ id }) => id === event.answer.option)
      if (chosen?.effect !== 'deny' && chosen?.effect !== 'deny_always') continue
      const call =
        ask.tool === undefined || ask.input === undefined ? {} : { call: callEntity(ask.tool, ask.input) }
      this.#denials.push({ at: event.at, entity: ask.toolUse, ...call })
    }
  }

  /** @param turn When the turn of the call began and ended. */
  has(entity: string, use: EventOf<'tool_use'> | undefined, turn: { from: number; to: number }): boolean {
    if (this.#denials.length === 0) return false
    const call = use && callEntity(use.name, use.input)
    return this.#denials.some((denial) =>
      denial.entity === undefined
        ? denial.call !== undefined && denial.call === call && denial.at >= turn.from && denial.at <= turn.to
        : denial.entity === entity,
    )
  }
}

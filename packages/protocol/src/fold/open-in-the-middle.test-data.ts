import { expect } from 'vitest'
import type { Event } from '../model/event.ts'
import type { Message } from '../model/message.ts'
import { type Positioned, TailGuard, getFirsts, isInTail } from './checkpoint.ts'
import { SessionDivider } from './divide-session.ts'
import { fold } from './index.ts'
import { SessionFold } from './session-fold.ts'

export interface Outcome {
  /** Checkpoints that were stored, events that were added to their tails, and events that these refused. */
  divided: number
  admitted: number
  refused: number
}

/**
 * Divides a session after `stored` events, opens it there, and compares it with the whole fold while later events are
 * added.
 */
export function openInTheMiddle(events: readonly Event[], stored: number, outcome: Outcome): void {
  const all: Positioned[] = events.map((each, index) => ({ seq: index + 1, event: each }))
  const divider = new SessionDivider()
  for (const each of all.slice(0, stored)) divider.add(each)
  const messages = fold(events.slice(0, stored))
  for (const proposal of divider.propose(messages, 1, 2)) {
    const { ranges } = proposal
    const old = all
      .slice(0, stored)
      .filter(({ seq }) => ranges.some(([from, to]) => seq >= from && seq <= to))
    const proposed = old.filter((each) => isInTail(proposal.checkpoint, each))
    const found = divider.check(proposal, proposed, messages, () => false)
    if (!found) continue
    const { checkpoint, keys } = found
    const tail = old.filter((each) => isInTail(checkpoint, each))
    outcome.divided += 1
    const read = JSON.parse(JSON.stringify(checkpoint)) as typeof checkpoint
    const guard = new TailGuard(read, (key) => keys.has(key))
    const session = new SessionFold(getFirsts(read))
    session.apply(tail.map((each) => each.event))
    for (const each of tail) guard.add(each.event)
    for (let index = stored; index < all.length; index++) {
      const next = all[index]!.event
      if (!guard.admits(next)) {
        outcome.refused += 1
        break
      }
      const changes = session.apply([next])
      if (!changes.every((change) => guard.admitsIds(change.messages))) {
        outcome.refused += 1
        break
      }
      outcome.admitted += 1
      // Folding everything after each event would take most of the time.
      if (index % 3 !== 0 && index < all.length - 1) continue
      const whole: Message[] = fold(events.slice(0, index + 1))
      const opened = [...messages.slice(0, checkpoint.messages), ...session.messages]
      if (JSON.stringify(opened) !== JSON.stringify(whole)) expect(opened).toEqual(whole)
    }
  }
}

/** Gives an event names of its own, so that it refers to no event of another part. */
export function rename(each: Event, part: number): Event {
  const names = new Set(['entity', 'message', 'parent', 'subagent', 'id', 'ask', 'toolUse', 'to'])
  return JSON.parse(JSON.stringify(each), (key, value: unknown) =>
    names.has(key) && typeof value === 'string' && !value.startsWith('call:') ? `${value}-${part}` : value,
  ) as Event
}

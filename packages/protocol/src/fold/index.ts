import { addUsage } from '../model/add-usage.ts'
import type { Event } from '../model/event.ts'
import type { Message } from '../model/message.ts'
import type { Usage } from '../model/usage.ts'
import { SessionFold } from './session-fold.ts'

export { callEntity, isCallEntity } from './call.ts'
export {
  type Checkpoint,
  type CheckpointSource,
  type Positioned,
  TailGuard,
  getFirsts,
  isInTail,
} from './checkpoint.ts'
export { type Proposal, SessionDivider } from './divide-session.ts'
export { isInterruption } from './lane.ts'
export { type MessageChange, SessionFold } from './session-fold.ts'
export { type SessionState, sessionState } from './session-state.ts'

/**
 * Turns events, from any channels and in any interleaving that keeps each source's order, into messages.
 * Repeated events and the splitting of text change nothing.
 *
 * @example const messages = fold(await ledger.read({ session }))
 */
export function fold(events: Iterable<Event>): Message[] {
  return foldSessions(events).flatMap(({ messages }) => messages)
}

/**
 * The usage of all sessions. For each turn, the finest scope of its most reliable channel counts; scopes are never added.
 *
 * @example totalUsage(events).inputTokens
 */
export function totalUsage(events: Iterable<Event>): Usage {
  return foldSessions(events).reduce((total, session) => addUsage(total, session.countUsage()), {} as Usage)
}

/** Folds each session, and orders the sessions by their first event. */
function foldSessions(events: Iterable<Event>): SessionFold[] {
  const sessions = new Map<string, Event[]>()
  for (const event of events) {
    const id = JSON.stringify([event.agent, event.session])
    const list = sessions.get(id)
    if (list) list.push(event)
    else sessions.set(id, [event])
  }
  return [...sessions]
    .map(([id, list]) => {
      const session = new SessionFold()
      session.apply(list)
      return { id, session }
    })
    .sort((a, b) => a.session.first - b.session.first || (a.id < b.id ? -1 : 1))
    .map(({ session }) => session)
}

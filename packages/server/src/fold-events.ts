import { channel } from 'node:diagnostics_channel'
import type { Event, Message } from '@remora/protocol/plain'
import { fold } from '@remora/protocol/fold'

/** The event loop monitor of the tests subscribes: the fold of a long session is the one long turn that it allows. */
const longWork = channel('remora:long-work')

/** Folds all events of a session into messages. @example foldEvents(events).length */
export function foldEvents(events: readonly Event[]): Message[] {
  if (!longWork.hasSubscribers) return fold(events)
  longWork.publish({ name: 'fold', phase: 'start' })
  const messages = fold(events)
  longWork.publish({ name: 'fold', phase: 'end', messages: messages.length })
  return messages
}

import type { Message } from '@remora/protocol'

/** One row of the list: a message that stands for itself, with what its sub-agents said under their calls. */
export interface Row {
  readonly message: Message
  /** Its place in the whole conversation. */
  readonly index: number
}

/** What sub-agents said belongs to the call that started them and is no row of its own. */
export function rowsOf(messages: readonly Message[], from: number): Row[] {
  return messages.flatMap((message, index) =>
    message.parent === undefined ? [{ message, index: from + index }] : [],
  )
}

/** Whether the turn is over before this row: a person speaks in it, or it is not there. */
export function endsTurn(next: Row | undefined): boolean {
  return !next || (next.message.role === 'user' && !next.message.context)
}

const children = new WeakMap<readonly Message[], Map<string, Message[]>>()

/** What was said under a call. */
export function childrenOf(messages: readonly Message[], call: string): readonly Message[] {
  let map = children.get(messages)
  if (!map) {
    map = new Map()
    for (const message of messages) {
      if (message.parent === undefined) continue
      const list = map.get(message.parent)
      if (list) list.push(message)
      else map.set(message.parent, [message])
    }
    children.set(messages, map)
  }
  return map.get(call) ?? []
}

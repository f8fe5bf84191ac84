import type { Message } from '@remora/protocol'

/** One row of the list: a message that stands for itself, with what its sub-agents said under their calls. */
export interface Row {
  readonly message: Message
  /** Its place in the whole conversation. */
  readonly index: number
}

/** What sub-agents said belongs to the call that started them and is no row of its own. */
export function toRows(messages: readonly Message[], from: number): Row[] {
  return messages.flatMap((message, index) =>
    message.parent === undefined ? [{ message, index: from + index }] : [],
  )
}

/** Whether the turn is over before this row: a person speaks in it, or it is not there. */
export function endsTurn(next: Row | undefined): boolean {
  return !next || (next.message.role === 'user' && !next.message.context)
}

/**
 * The position of the row with the text of that time: the row that began last before it. Rows are not always in the
 * order of time: Claude may date the files of a prompt before the prompt itself. Context is never a search hit.
 */
export function findRowAt(rows: readonly Row[], time: number): number {
  let found = -1
  for (const [position, { message }] of rows.entries()) {
    if (message.context || message.timestamp > time) continue
    if (found === -1 || message.timestamp >= rows[found]!.message.timestamp) found = position
  }
  return found
}

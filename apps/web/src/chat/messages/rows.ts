import type { Message } from '@remora/protocol'

/** A top-level message. Sub-agent messages are shown inside their tool call. */
export interface Row {
  readonly message: Message
  /** The index in the whole conversation. */
  readonly index: number
}

export function toRows(messages: readonly Message[], from: number): Row[] {
  return messages.flatMap((message, index) =>
    message.parent === undefined ? [{ message, index: from + index }] : [],
  )
}

/** Whether the next row starts a new turn or does not exist. */
export function endsTurn(next: Row | undefined): boolean {
  return !next || (next.message.role === 'user' && !next.message.context)
}

/**
 * Finds the row that started last before the time. Rows are not always in time order: Claude may date the files of
 * a prompt before the prompt. Context is never a search hit.
 */
export function findRowAt(rows: readonly Row[], time: number): number {
  let found = -1
  for (const [position, { message }] of rows.entries()) {
    if (message.context || message.timestamp > time) continue
    if (found === -1 || message.timestamp >= rows[found]!.message.timestamp) found = position
  }
  return found
}

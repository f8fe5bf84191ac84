import type { Row } from './rows.ts'

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

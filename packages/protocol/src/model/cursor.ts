import { z } from 'zod'

/** A position in a ledger. Everything after it can be read again, also after a restart. */
export const Cursor = z.object({
  /** The ledger. A cursor of another ledger gets a page with `gap`. */
  epoch: z.string().regex(/^[A-Za-z0-9-]+$/),
  seq: z.number().int().nonnegative(),
})
export type Cursor = z.infer<typeof Cursor>

/** @example formatCursor({ epoch: 'a1', seq: 7 }) // 'a1:7' */
export function formatCursor(cursor: Cursor): string {
  return `${cursor.epoch}:${cursor.seq}`
}

/** Parses a cursor, or returns undefined. @example parseCursor('a1:7') // { epoch: 'a1', seq: 7 } */
export function parseCursor(text: string): Cursor | undefined {
  const match = /^([A-Za-z0-9-]+):(\d{1,15})$/.exec(text)
  return match ? { epoch: match[1]!, seq: Number(match[2]) } : undefined
}

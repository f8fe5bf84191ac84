import type { Message } from '@remora/protocol'

/** Consecutive messages that start at index `from`. */
export interface Part {
  readonly from: number
  readonly messages: readonly Message[]
}

/** Replaces messages with those of the frame; undefined if a message between them is missing. */
export function join(before: Part, frame: Part & { readonly total: number }): Part | undefined {
  const { from } = before
  const end = from + before.messages.length
  if (frame.from > end || frame.total < from) return undefined
  const messages = before.messages.slice(0, Math.max(0, frame.total - from))
  for (const [index, message] of frame.messages.entries()) {
    const place = frame.from + index - from
    if (place >= 0) messages[place] = message
  }
  return messages.length === frame.total - from ? { from, messages } : undefined
}

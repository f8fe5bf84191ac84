import { z } from 'zod'

const count = z.number().int().nonnegative()

/** Token counts. A count that the agent did not report is absent, not zero. */
export const Usage = z.object({
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  totalTokens: count.optional(),
  /** Input that came from a cache, and input that was put into one; both are part of `inputTokens`. */
  cachedTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  thoughtTokens: count.optional(),
  toolTokens: count.optional(),
})
export type Usage = z.infer<typeof Usage>

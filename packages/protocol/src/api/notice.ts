import { z } from 'zod'

/** The events that a device is notified of. */
export const Preferences = z.strictObject({
  ask: z.boolean().default(true),
  done: z.boolean().default(true),
  error: z.boolean().default(true),
  /** Whether the icon shows a number, also without notifications. */
  badge: z.boolean().default(true),
})
export type Preferences = z.infer<typeof Preferences>

/** A push message. It is short, because push services accept at most four kilobytes. */
export const Notice = z.object({
  version: z.literal(1),
  type: z.enum(['ask', 'done', 'error', 'badge']),
  /** The number of requests that wait for the person. */
  badge: z.number(),
  title: z.string().optional(),
  body: z.string().optional(),
  /** A later notice with the same tag replaces this one. */
  tag: z.string().optional(),
  session: z.object({ agent: z.string(), session: z.string() }).optional(),
  /** The id of the ask and the digest of the text that was shown. An answer contains both. */
  ask: z.object({ id: z.string(), digest: z.string() }).optional(),
  actions: z
    .array(z.object({ action: z.enum(['allow', 'deny']), title: z.string(), option: z.string() }))
    .optional(),
  /** The tags of notices to remove. */
  settled: z.array(z.string()).optional(),
})
export type Notice = z.infer<typeof Notice>

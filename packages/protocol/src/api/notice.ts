import { z } from 'zod'

/** What a device is notified of. */
export const Preferences = z.strictObject({
  ask: z.boolean().default(true),
  done: z.boolean().default(true),
  error: z.boolean().default(true),
  /** The number on the icon, also without a notification. */
  badge: z.boolean().default(true),
})
export type Preferences = z.infer<typeof Preferences>

/** What the app on a device gets by push. It is short: push services take four kilobytes at most. */
export const Notice = z.object({
  version: z.literal(1),
  type: z.enum(['ask', 'done', 'error', 'badge']),
  /** How much waits for the person in all. */
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
  /** Notices that are over, to be taken away. */
  settled: z.array(z.string()).optional(),
})
export type Notice = z.infer<typeof Notice>

import { z } from 'zod'

/** A machine, of those that share a ledger. */
export const NodeInfo = z.object({
  id: z.string(),
  /** What people call it. */
  name: z.string(),
  /** Of Remora. */
  version: z.string(),
  /** How long nothing was heard of it, in milliseconds. */
  silentMs: z.number(),
  /** So long that nobody knows how its sessions are. */
  silent: z.literal(true).optional(),
  /** How many sessions go on there. */
  live: z.number(),
  /** The one that tells this. */
  here: z.literal(true).optional(),
})
export type NodeInfo = z.infer<typeof NodeInfo>

import { z } from 'zod'

/** A machine, of those that share a ledger. */
export const NodeInfo = z.object({
  id: z.string(),
  /** What people call it. */
  name: z.string(),
  /** Of Remora. */
  version: z.string(),
  /** Milliseconds since its last heartbeat. */
  silentMs: z.number(),
  /** Offline: the state of its sessions is unknown. */
  silent: z.literal(true).optional(),
  /** The number of its live sessions. */
  live: z.number(),
  /** Whether it is the machine that answers this request. */
  here: z.literal(true).optional(),
})
export type NodeInfo = z.infer<typeof NodeInfo>

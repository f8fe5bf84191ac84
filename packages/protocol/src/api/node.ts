import { z } from 'zod'

/** One of the machines that share a ledger. */
export const NodeInfo = z.object({
  id: z.string(),
  /** The display name. */
  name: z.string(),
  /** The version of Remora. */
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

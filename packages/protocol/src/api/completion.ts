import { z } from 'zod'

/** A slash command, for a list to choose from. */
export const CommandHint = z.object({
  /** Without the slash. */
  name: z.string(),
  description: z.string().optional(),
  /** What may follow it. */
  hint: z.string().optional(),
  /** The agent's own, or written by the user or for the project. */
  from: z.enum(['agent', 'user', 'project']),
})
export type CommandHint = z.infer<typeof CommandHint>

/** A file or folder below the folder of a session. */
export const FileHint = z.object({
  /** As seen from that folder. */
  path: z.string(),
  folder: z.literal(true).optional(),
})
export type FileHint = z.infer<typeof FileHint>

/** Where a session works. */
export const SessionPlace = z.object({ cwd: z.string(), branch: z.string().optional() })
export type SessionPlace = z.infer<typeof SessionPlace>

/** The used and available context of an agent. Uncertain values are absent. */
export const ContextUse = z.object({ used: z.number().optional(), size: z.number().optional() })
export type ContextUse = z.infer<typeof ContextUse>

import { z } from 'zod'

/** A slash command, for a list to choose from. */
export const CommandHint = z.object({
  /** Without the slash. */
  name: z.string(),
  description: z.string().optional(),
  /** Describes its arguments. */
  hint: z.string().optional(),
  /** Whether it is built in, or defined by the user or the project. */
  from: z.enum(['agent', 'user', 'project']),
})
export type CommandHint = z.infer<typeof CommandHint>

/** A file or folder below the folder of a session. */
export const FileHint = z.object({
  /** Relative to that folder. */
  path: z.string(),
  folder: z.literal(true).optional(),
})
export type FileHint = z.infer<typeof FileHint>

/** The folder of a session and its git branch. */
export const SessionPlace = z.object({ cwd: z.string(), branch: z.string().optional() })
export type SessionPlace = z.infer<typeof SessionPlace>

/** The used and available context of an agent. Uncertain values are absent. */
export const ContextUse = z.object({ used: z.number().optional(), size: z.number().optional() })
export type ContextUse = z.infer<typeof ContextUse>

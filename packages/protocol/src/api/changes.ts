import { z } from 'zod'

/** One file that changed. */
export const FileChange = z.object({
  path: z.string(),
  from: z.string().optional(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed', 'copied', 'type', 'conflict', 'untracked']),
  additions: z.number().optional(),
  deletions: z.number().optional(),
  binary: z.literal(true).optional(),
  hunks: z.string().optional(),
  cut: z.literal(true).optional(),
  secret: z.literal(true).optional(),
})

export type FileChange = z.infer<typeof FileChange>

/** The base of the changes: the start of the session, or the last commit. */
export const since = z.enum(['start', 'head'])

/** The git state of a session's folder. */
export const Changes = z.discriminatedUnion('git', [
  z.object({ git: z.literal(false), cwd: z.string(), reason: z.string(), since }),
  z.object({
    git: z.literal(true),
    cwd: z.string(),
    root: z.string(),
    folder: z.string(),
    branch: z.string().optional(),
    head: z.string().optional(),
    base: z.string().optional(),
    baseLost: z.literal(true).optional(),
    since,
    guessed: z.literal(true).optional(),
    files: z.array(FileChange),
    additions: z.number(),
    deletions: z.number(),
    more: z.number(),
  }),
])

export type Changes = z.infer<typeof Changes>

/** A git worktree in which sessions were started. */
export const Worktree = z.object({
  path: z.string(),
  of: z.string().optional(),
  branch: z.string().optional(),
  clean: z.boolean(),
  /** The live sessions in it. */
  live: z.array(z.string()),
})
export type Worktree = z.infer<typeof Worktree>

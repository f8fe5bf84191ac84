import { z } from 'zod'
import { Usage } from '../model/usage.ts'

/** The summary of a session. */
export const SessionInfo = z.object({
  agent: z.string(),
  session: z.string(),
  /** The machine that reported it first, if several share the ledger. */
  node: z.string().optional(),
  title: z.string().optional(),
  firstPrompt: z.string().optional(),
  model: z.string().optional(),
  cwd: z.string().optional(),
  version: z.string().optional(),
  messages: z.number(),
  usage: Usage,
  startedAt: z.number(),
  updatedAt: z.number(),
  archivedAt: z.number().optional(),
  name: z.string().optional(),
  pinned: z.boolean(),
  hidden: z.boolean(),
  /** The id of the live session. */
  live: z.string().optional(),
  /** Archive files with events that are no longer in the ledger. Only in the response for one session. */
  archives: z
    .array(z.object({ month: z.string(), machine: z.string(), file: z.string(), events: z.number() }))
    .optional(),
  /** The start of the last message, with known secrets masked. Only in lists that request it. */
  last: z.object({ role: z.enum(['user', 'assistant']), text: z.string(), at: z.number() }).optional(),
})
export type SessionInfo = z.infer<typeof SessionInfo>

/** A search hit. */
export const SearchHit = z.object({
  agent: z.string(),
  session: z.string(),
  seq: z.number(),
  entity: z.string(),
  kind: z.enum(['prompt', 'text', 'thinking', 'tool_use', 'tool_result', 'note']),
  at: z.number(),
  snippet: z.string(),
  matches: z.array(z.tuple([z.number(), z.number()])),
  title: z.string().optional(),
  cwd: z.string().optional(),
})
export type SearchHit = z.infer<typeof SearchHit>

/** The usage of one group. */
export const UsageEntry = z.object({
  day: z.string().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  project: z.string().optional(),
  session: z.string().optional(),
  usage: Usage,
  costUsd: z.number().optional(),
})
export type UsageEntry = z.infer<typeof UsageEntry>

import { z } from 'zod'
import { Event } from '../../model/event.ts'
import { Message } from '../../model/message.ts'
import { Changes, Worktree, since as changesSince } from '../changes.ts'
import { CommandHint, ContextUse, FileHint, SessionPlace } from '../completion.ts'
import { SessionParams, defineRoutes, filePath, flag, limit, nonNegative, utcOffset } from '../route.ts'
import { SearchHit, SessionInfo, UsageEntry } from '../session.ts'

const filters = {
  agent: z.string().max(100).optional(),
  cwd: z.string().max(4096).optional(),
  since: nonNegative,
}

/** Routes of stored sessions and search. */
export const sessionsApi = defineRoutes({
  listSessions: {
    method: 'get',
    path: '/api/sessions',
    summary: 'List sessions, newest first',
    access: 'viewer',
    query: z.object({
      ...filters,
      node: z.string().max(100).optional(),
      until: nonNegative,
      limit: limit(1000),
      hidden: flag,
      pinned: flag,
      empty: flag,
      last: flag,
      idPrefix: z.string().max(200).optional(),
    }),
    response: z.object({ sessions: z.array(SessionInfo) }),
  },
  getSession: {
    method: 'get',
    path: '/api/sessions/:agent/:session',
    summary: 'Get the summary of a session',
    access: 'viewer',
    params: SessionParams,
    response: SessionInfo,
  },
  updateSession: {
    method: 'patch',
    path: '/api/sessions/:agent/:session',
    summary: 'Rename, pin or hide a session; a null name removes the name',
    access: 'member',
    params: SessionParams,
    body: z.strictObject({
      name: z.string().trim().min(1).max(200).nullable().optional(),
      pinned: z.boolean().optional(),
      hidden: z.boolean().optional(),
    }),
    response: SessionInfo,
  },
  listMessages: {
    method: 'get',
    path: '/api/sessions/:agent/:session/messages',
    summary:
      'List messages of a session: the latest, or those before position `before`. Events continue after `cursor`',
    access: 'viewer',
    params: SessionParams,
    query: z.object({ before: nonNegative, limit: limit(500), originals: flag }),
    response: z.object({
      messages: z.array(Message),
      from: z.number(),
      total: z.number(),
      cursor: z.string(),
    }),
  },
  listEvents: {
    method: 'get',
    path: '/api/sessions/:agent/:session/events',
    summary: 'List events of a session after a cursor; `gap` reports an unknown cursor',
    access: 'viewer',
    params: SessionParams,
    query: z.object({ after: z.string().max(200).optional(), limit: limit(2000), raw: flag }),
    response: z.object({
      events: z.array(z.object({ seq: z.number(), event: Event })),
      cursor: z.string(),
      gap: z.literal(true).optional(),
    }),
  },
  search: {
    method: 'get',
    path: '/api/search',
    summary: 'Search the text of all sessions; known secrets are masked in snippets',
    access: 'viewer',
    query: z.object({ ...filters, text: z.string().min(1).max(500), limit: limit(200), hidden: flag }),
    response: z.object({ hits: z.array(SearchHit) }),
  },
  getUsage: {
    method: 'get',
    path: '/api/usage',
    summary: 'Report token usage by group; `by` is a comma-separated list',
    access: 'viewer',
    query: z.object({ ...filters, by: z.string().max(100).optional(), until: nonNegative, utcOffset }),
    response: z.object({ entries: z.array(UsageEntry) }),
  },
})

/** Routes of suggestions for prompts. */
export const completionApi = defineRoutes({
  listSlashCommands: {
    method: 'get',
    path: '/api/sessions/:agent/:session/commands',
    summary: 'List slash commands of a session: built in, and defined by the user or the project',
    access: 'viewer',
    params: SessionParams,
    response: z.object({ commands: z.array(CommandHint) }),
  },
  findFiles: {
    method: 'get',
    path: '/api/sessions/:agent/:session/files',
    summary: 'Find files and folders in the folder of a session, best match first',
    access: 'viewer',
    params: SessionParams,
    query: z.object({ text: z.string().max(500).default(''), limit: limit(200) }),
    response: z.object({ files: z.array(FileHint) }),
  },
  getContextUse: {
    method: 'get',
    path: '/api/sessions/:agent/:session/context',
    summary: 'Get the context size of a model and the part in use; unknown values are omitted',
    access: 'viewer',
    params: SessionParams,
    query: z.object({ model: z.string().max(200).optional() }),
    response: ContextUse,
  },
  getSessionPlace: {
    method: 'get',
    path: '/api/sessions/:agent/:session/place',
    summary: 'Get the folder of a session and its current git branch',
    access: 'viewer',
    params: SessionParams,
    response: SessionPlace,
  },
})

/** Routes of file changes in the folder of a session. */
export const changesApi = defineRoutes({
  getChanges: {
    method: 'get',
    path: '/api/sessions/:agent/:session/changes',
    summary: 'Show git changes in the folder of a session since its start or the last commit, or of one file',
    access: 'viewer',
    params: SessionParams,
    query: z.object({ since: changesSince.default('start'), file: filePath.optional() }),
    response: Changes,
  },
  listWorktrees: {
    method: 'get',
    path: '/api/worktrees',
    summary: 'List the git worktrees of sessions',
    access: 'viewer',
    response: z.object({ worktrees: z.array(Worktree) }),
  },
  removeWorktree: {
    method: 'post',
    path: '/api/worktrees/remove',
    summary: 'Remove a worktree without uncommitted or unmerged work',
    access: 'member',
    body: z.strictObject({ path: filePath }),
    response: z.object({ path: z.string(), branch: z.string().optional(), branchKept: z.boolean() }),
  },
})

import { usageGroups } from '@remora/ledger'
import { Event, Message, RemoraError, formatCursor, parseCursor } from '@remora/protocol'
import { SearchHit, SessionInfo, UsageEntry } from '@remora/protocol/api'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { lean } from '../../ws/lean.ts'
import { archivesOf } from '../archives.ts'
import { messagesOf } from '../messages.ts'
import { route } from '../route.ts'
import { SessionParams, at, count, flag } from '../shapes.ts'

const cwd = z.string().max(4096).optional()
const agent = z.string().max(100).optional()
const since = at

export const sessionRoutes = [
  route({
    method: 'get',
    path: '/api/sessions',
    summary: 'Sessions at a glance, the latest first',
    access: 'viewer',
    shapes: {
      query: z.object({
        agent,
        node: z.string().max(100).optional(),
        cwd,
        since,
        until: at,
        limit: count(1000),
        hidden: flag,
        pinned: flag,
        empty: flag,
        last: flag,
        idPrefix: z.string().max(200).optional(),
      }),
      response: z.object({ sessions: z.array(SessionInfo) }),
    },
    async handle({ context, query }) {
      const sessions = await context.ledger.sessions({ limit: 100, ...defined(query) })
      return { sessions: sessions.map((entry) => withLive(context, entry)) }
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session',
    summary: 'One session at a glance',
    access: 'viewer',
    shapes: { params: SessionParams, response: SessionInfo },
    handle: ({ context, params }) => atGlance(context, params),
  }),
  route({
    method: 'patch',
    path: '/api/sessions/:agent/:session',
    summary: 'Gives a session a name, pins it or hides it; null takes the name away',
    access: 'member',
    shapes: {
      params: SessionParams,
      body: z.strictObject({
        name: z.string().trim().min(1).max(200).nullable().optional(),
        pinned: z.boolean().optional(),
        hidden: z.boolean().optional(),
      }),
      response: SessionInfo,
    },
    async handle({ context, params, body }) {
      if (!(await context.ledger.annotate(params, body))) throw missing(params)
      return atGlance(context, params)
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session/messages',
    summary: 'The messages, the latest ones unless `before` names a position; `cursor` is where events go on',
    access: 'viewer',
    shapes: {
      params: SessionParams,
      query: z.object({ before: at, limit: count(500), originals: flag }),
      response: z.object({
        messages: z.array(Message),
        from: z.number(),
        total: z.number(),
        cursor: z.string(),
      }),
    },
    async handle({ context, params, query }) {
      await find(context, params)
      const { messages, cursor } = await messagesOf(context.ledger, params, query)
      const end = Math.min(query.before ?? messages.length, messages.length)
      const from = Math.max(0, end - (query.limit ?? 50))
      return {
        messages: messages.slice(from, end),
        from,
        total: messages.length,
        cursor: formatCursor(cursor),
      }
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session/events',
    summary: 'Events after a cursor, in order; `gap` says that the cursor means nothing here',
    access: 'viewer',
    shapes: {
      params: SessionParams,
      query: z.object({ after: z.string().max(200).optional(), limit: count(2000), raw: flag }),
      response: z.object({
        events: z.array(z.object({ seq: z.number(), event: Event })),
        cursor: z.string(),
        gap: z.literal(true).optional(),
      }),
    },
    async handle({ context, params, query }) {
      const after = query.after === undefined ? undefined : readCursor(query.after)
      const page = await context.ledger.read({
        session: params,
        limit: query.limit ?? 500,
        ...(after ? { after } : {}),
      })
      return {
        events: query.raw ? page.events : page.events.map(lean),
        cursor: formatCursor(page.cursor),
        ...(page.gap ? { gap: true } : {}),
      }
    },
  }),
  route({
    method: 'get',
    path: '/api/search',
    summary: 'Full text; secrets of known shape are masked in the snippets',
    access: 'viewer',
    shapes: {
      query: z.object({
        text: z.string().min(1).max(500),
        agent,
        cwd,
        since,
        limit: count(200),
        hidden: flag,
      }),
      response: z.object({
        hits: z.array(SearchHit),
      }),
    },
    async handle({ context, query: { text, ...rest } }) {
      return { hits: await context.ledger.search({ text, limit: 50, ...defined(rest) }) }
    },
  }),
  route({
    method: 'get',
    path: '/api/usage',
    summary: 'What was used, in groups: `by` is a list with commas',
    access: 'viewer',
    shapes: {
      query: z.object({
        by: z.string().max(100).optional(),
        agent,
        cwd,
        since,
        until: at,
        utcOffset: z.coerce.number().int().min(-900).max(900).optional(),
      }),
      response: z.object({
        entries: z.array(UsageEntry),
      }),
    },
    async handle({ context, query: { by, ...rest } }) {
      const groups = by?.split(',').map((word) => {
        const group = usageGroups.find((each) => each === word)
        if (!group)
          throw new RemoraError('usage', `Unknown group ${word.slice(0, 40)}`, {
            hint: usageGroups.join(', '),
          })
        return group
      })
      return { entries: await context.ledger.usage({ ...defined(rest), ...(groups ? { by: groups } : {}) }) }
    },
  }),
]

type Key = z.infer<typeof SessionParams>

async function find(context: Context, key: Key) {
  const entry = await context.ledger.session(key)
  if (!entry) throw missing(key)
  return entry
}

async function atGlance(context: Context, key: Key) {
  return { ...withLive(context, await find(context, key)), ...(await archivesOf(context.ledger, key)) }
}

function withLive<T extends Key>(context: Context, entry: T): T & { live?: string } {
  const live = context.live.of({ agent: entry.agent, session: entry.session })
  return live ? { ...entry, live: live.id } : entry
}

function missing({ agent, session }: Key): RemoraError {
  return new RemoraError('not_found', `No ${agent} session ${session}`)
}

function readCursor(text: string) {
  const cursor = parseCursor(text)
  if (!cursor) throw new RemoraError('usage', 'Invalid cursor')
  return cursor
}

/** Without what is undefined, which would count as given. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}

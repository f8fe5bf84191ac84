import { type Ledger, type SessionKey, usageGroups } from '@remora/ledger'
import { RemoraError, formatCursor, parseCursor } from '@remora/protocol'
import { type SessionInfo, sessionsApi } from '@remora/protocol/api'
import type { Context } from '../../context.ts'
import { lean } from '../../ws/lean.ts'
import { messagesOf } from '../messages.ts'
import { implement } from '../route.ts'

export const sessionRoutes = implement(sessionsApi, {
  async listSessions({ context, query }) {
    const sessions = await context.ledger.sessions({ limit: 100, ...omitUndefined(query) })
    return { sessions: sessions.map((entry) => withLive(context, entry)) }
  },

  getSession: ({ context, params }) => getSummary(context, params),

  async updateSession({ context, params, body }) {
    if (!(await context.ledger.annotate(params, body))) throw notFound(params)
    return getSummary(context, params)
  },

  async listMessages({ context, params, query }) {
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

  async listEvents({ context, params, query }) {
    const after = query.after === undefined ? undefined : readCursor(query.after)
    const page = await context.ledger.read({
      session: params,
      limit: query.limit ?? 500,
      ...(after ? { after } : {}),
    })
    return {
      events: query.raw ? page.events : page.events.map(lean),
      cursor: formatCursor(page.cursor),
      ...(page.gap ? { gap: true as const } : {}),
    }
  },

  async search({ context, query: { text, ...rest } }) {
    return { hits: await context.ledger.search({ text, limit: 50, ...omitUndefined(rest) }) }
  },

  async getUsage({ context, query: { by, ...rest } }) {
    const groups = by?.split(',').map((name) => {
      const group = usageGroups.find((each) => each === name)
      if (!group)
        throw new RemoraError('usage', `Unknown group ${name.slice(0, 40)}`, {
          hint: usageGroups.join(', '),
        })
      return group
    })
    const entries = await context.ledger.usage({ ...omitUndefined(rest), ...(groups ? { by: groups } : {}) })
    return { entries }
  },
})

async function find(context: Context, key: SessionKey) {
  const entry = await context.ledger.session(key)
  if (!entry) throw notFound(key)
  return entry
}

async function getSummary(context: Context, key: SessionKey) {
  return { ...withLive(context, await find(context, key)), ...(await findArchives(context.ledger, key)) }
}

function withLive<T extends SessionKey>(context: Context, entry: T): T & { live?: string } {
  const live = context.live.of({ agent: entry.agent, session: entry.session })
  return live ? { ...entry, live: live.id } : entry
}

function notFound({ agent, session }: SessionKey): RemoraError {
  return new RemoraError('not_found', `No ${agent} session ${session}`)
}

function readCursor(text: string) {
  const cursor = parseCursor(text)
  if (!cursor) throw new RemoraError('usage', 'Invalid cursor')
  return cursor
}

/** Lists the archives that hold removed months of a session, so that they do not look lost. */
export async function findArchives(
  { months }: Ledger,
  { agent, session }: SessionKey,
): Promise<Pick<SessionInfo, 'archives'>> {
  const found = (await months?.archives({ agent, session })) ?? []
  if (found.length === 0) return {}
  return { archives: found.map(({ month, machine, file, events }) => ({ month, machine, file, events })) }
}

/** Drops undefined fields, which the ledger would treat as given. */
function omitUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}

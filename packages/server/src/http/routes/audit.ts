import { z } from 'zod'
import { maskAll } from '@remora/ledger'
import { route } from '../route.ts'
import { at, count, word } from '../shapes.ts'

const Entry = z.object({
  number: z.number(),
  at: z.number(),
  what: z.string(),
  who: z.string(),
  agent: z.string().optional(),
  session: z.string().optional(),
  detail: z.unknown().optional(),
  hash: z.string(),
})

export const auditRoutes = [
  route({
    method: 'get',
    path: '/api/audit',
    summary: 'Who decided what, the oldest first; secrets of known shape are masked',
    access: 'viewer',
    shapes: {
      query: z.object({ after: at, limit: count(1000), agent: word.optional(), session: word.optional() }),
      response: z.object({ entries: z.array(Entry) }),
    },
    async handle({ context, query: { after, limit, agent, session } }) {
      const entries = await context.ledger.audit.read({
        limit: limit ?? 200,
        ...(after === undefined ? {} : { after }),
        ...(agent !== undefined && session !== undefined ? { session: { agent, session } } : {}),
      })
      return { entries: entries.map((entry) => ({ ...entry, detail: maskAll(entry.detail) })) }
    },
  }),
  route({
    method: 'get',
    path: '/api/audit/verify',
    summary: 'Whether every entry is as it was written',
    access: 'viewer',
    shapes: {
      response: z.object({
        entries: z.number(),
        broken: z.object({ number: z.number(), why: z.string() }).optional(),
      }),
    },
    handle: ({ context }) => context.ledger.audit.verify(),
  }),
]

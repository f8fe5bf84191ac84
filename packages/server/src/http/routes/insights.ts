import { maskAll } from '@remora/ledger'
import { InsightsSummary, PathDetail, PathInfo, TrendDay, UsageReport } from '@remora/protocol/api'
import { z } from 'zod'
import type { Chosen } from '../../insights/failures.ts'
import { pathDetail } from '../../insights/path-detail.ts'
import { pathsOf, summaryOf, trendOf } from '../../insights/report.ts'
import { usageReport } from '../../insights/usage-report.ts'
import { route } from '../route.ts'
import { at, count, word } from '../shapes.ts'

const Filter = z.object({
  agent: z.string().min(1).max(100).optional(),
  /** This folder and those below it. */
  cwd: z.string().min(1).max(4096).optional(),
  since: at,
})
/** Minutes that local time is ahead of UTC, for days. */
const utcOffset = z.coerce.number().int().min(-900).max(900).optional()

export const insightsRoutes = [
  route({
    method: 'get',
    path: '/api/insights/summary',
    summary: 'What failed, at a glance: by class, agent and project',
    access: 'viewer',
    shapes: { query: Filter, response: InsightsSummary },
    handle: async ({ context, query }) => maskAll(await summaryOf(context.ledger, chosenOf(query))),
  }),
  route({
    method: 'get',
    path: '/api/insights/trend',
    summary: 'Failures by day, each by class',
    access: 'viewer',
    shapes: {
      query: Filter.extend({ utcOffset }),
      response: z.object({ days: z.array(TrendDay) }),
    },
    handle: async ({ context, query }) => ({
      days: await trendOf(context.ledger, chosenOf(query), query.utcOffset ?? 0),
    }),
  }),
  route({
    method: 'get',
    path: '/api/insights/paths',
    summary: 'Desire paths: failures of one kind together, the most costly first',
    access: 'viewer',
    shapes: {
      query: Filter.extend({ limit: count(500), class: z.string().max(50).optional() }),
      response: z.object({ paths: z.array(PathInfo), total: z.number() }),
    },
    handle: async ({ context, query }) =>
      maskAll(
        await pathsOf(context.ledger, chosenOf(query), { limit: query.limit ?? 50, kind: query.class }),
      ),
  }),
  route({
    method: 'get',
    path: '/api/insights/paths/:id',
    summary: 'Everything about one path: examples, how agents got on, and what would mend it',
    access: 'viewer',
    shapes: {
      params: z.object({ id: word }),
      query: Filter.extend({ utcOffset }),
      response: PathDetail,
    },
    handle: async ({ context, params, query }) =>
      maskAll(await pathDetail(context, params.id, chosenOf(query), query.utcOffset ?? 0)),
  }),
  route({
    method: 'get',
    path: '/api/insights/usage',
    summary:
      'Tokens and cost by day, model, project and agent; cost by list prices where an agent tells none',
    access: 'viewer',
    shapes: { query: Filter.extend({ utcOffset }), response: UsageReport },
    handle: async ({ context, query }) =>
      maskAll(await usageReport(context.ledger, chosenOf(query), query.utcOffset ?? 0)),
  }),
]

function chosenOf({ agent, cwd, since }: z.infer<typeof Filter>): Chosen {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(since === undefined ? {} : { since }),
  }
}

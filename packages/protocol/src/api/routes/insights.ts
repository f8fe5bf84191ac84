import { z } from 'zod'
import { InsightsSummary, PathDetail, PathInfo, TrendDay, UnaskedCalls, UsageReport } from '../insights.ts'
import { defineRoutes, filePath, identifier, limit, nonNegative, utcOffset } from '../route.ts'

/** `cwd` includes the folders below it. */
export const InsightsFilter = z.object({
  agent: z.string().min(1).max(100).optional(),
  cwd: filePath.optional(),
  since: nonNegative,
})

/** Routes of failure analytics and usage. */
export const insightsApi = defineRoutes({
  getFailureSummary: {
    method: 'get',
    path: '/api/insights/summary',
    summary: 'Summarize failed tool calls by class, agent and project',
    access: 'viewer',
    query: InsightsFilter,
    response: InsightsSummary,
  },
  getFailureTrend: {
    method: 'get',
    path: '/api/insights/trend',
    summary: 'Count failed tool calls by day and class',
    access: 'viewer',
    query: InsightsFilter.extend({ utcOffset }),
    response: z.object({ days: z.array(TrendDay) }),
  },
  listPaths: {
    method: 'get',
    path: '/api/insights/paths',
    summary: 'List desire paths (groups of similar failures), most costly first',
    access: 'viewer',
    query: InsightsFilter.extend({ limit: limit(500), class: z.string().max(50).optional() }),
    response: z.object({ paths: z.array(PathInfo), total: z.number() }),
  },
  getPath: {
    method: 'get',
    path: '/api/insights/paths/:id',
    summary: 'Get a desire path with examples, recoveries and fixes',
    access: 'viewer',
    params: z.object({ id: identifier }),
    query: InsightsFilter.extend({ utcOffset }),
    response: PathDetail,
  },
  getUsageReport: {
    method: 'get',
    path: '/api/insights/usage',
    summary:
      'Report tokens and cost by day, model, project and agent; list prices apply where an agent reports no cost',
    access: 'viewer',
    query: InsightsFilter.extend({ utcOffset }),
    response: UsageReport,
  },
  listUnasked: {
    method: 'get',
    path: '/api/insights/unasked',
    summary: 'List tool calls that ran or were blocked without a person’s answer, the riskiest first',
    access: 'viewer',
    query: InsightsFilter.extend({ limit: limit(500) }),
    response: UnaskedCalls,
  },
})

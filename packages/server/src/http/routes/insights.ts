import { maskAll } from '@remora/ledger'
import { type InsightsFilter, insightsApi } from '@remora/protocol/api'
import type { z } from 'zod'
import type { Chosen } from '../../insights/failures.ts'
import { pathDetail } from '../../insights/path-detail.ts'
import { pathsOf, summaryOf, trendOf } from '../../insights/report.ts'
import { usageReport } from '../../insights/usage-report.ts'
import { implement } from '../route.ts'

export const insightsRoutes = implement(insightsApi, {
  getFailureSummary: async ({ context, query }) => maskAll(await summaryOf(context.ledger, toFilter(query))),
  getFailureTrend: async ({ context, query }) => ({
    days: await trendOf(context.ledger, toFilter(query), query.utcOffset ?? 0),
  }),
  listPaths: async ({ context, query }) =>
    maskAll(await pathsOf(context.ledger, toFilter(query), { limit: query.limit ?? 50, kind: query.class })),
  getPath: async ({ context, params, query }) =>
    maskAll(await pathDetail(context, params.id, toFilter(query), query.utcOffset ?? 0)),
  getUsageReport: async ({ context, query }) =>
    maskAll(await usageReport(context.ledger, toFilter(query), query.utcOffset ?? 0)),
})

function toFilter({ agent, cwd, since }: z.infer<typeof InsightsFilter>): Chosen {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(since === undefined ? {} : { since }),
  }
}

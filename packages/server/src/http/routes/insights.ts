import { maskAll } from '@remora/ledger'
import { type InsightsFilter, insightsApi } from '@remora/protocol/api'
import type { z } from 'zod'
import type { CallFilter } from '../../insights/failures.ts'
import { readPathDetail } from '../../insights/path-detail.ts'
import { listPaths, createSummary, createTrend } from '../../insights/report.ts'
import { createUnaskedReport } from '../../insights/unasked-report.ts'
import { createUsageReport } from '../../insights/usage-report.ts'
import { implement } from '../route.ts'

export const insightsRoutes = implement(insightsApi, {
  getFailureSummary: async ({ context, query }) =>
    maskAll(await createSummary(context.ledger, toFilter(query))),
  getFailureTrend: async ({ context, query }) => ({
    days: await createTrend(context.ledger, toFilter(query), query.utcOffset ?? 0),
  }),
  listPaths: async ({ context, query }) =>
    maskAll(
      await listPaths(context.ledger, toFilter(query), { limit: query.limit ?? 50, kind: query.class }),
    ),
  getPath: async ({ context, params, query }) =>
    maskAll(await readPathDetail(context, params.id, toFilter(query), query.utcOffset ?? 0)),
  getUsageReport: async ({ context, query }) =>
    maskAll(await createUsageReport(context.ledger, toFilter(query), query.utcOffset ?? 0)),
  listUnasked: async ({ context, query }) =>
    maskAll(await createUnaskedReport(context.ledger, toFilter(query), query.limit ?? 100)),
})

function toFilter({ agent, cwd, since }: z.infer<typeof InsightsFilter>): CallFilter {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(since === undefined ? {} : { since }),
  }
}

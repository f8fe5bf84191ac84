import { maskAll } from '@remora/ledger'
import { auditApi } from '@remora/protocol/api'
import { implement } from '../route.ts'

export const auditRoutes = implement(auditApi, {
  async listAudit({ context, query: { after, limit, agent, session } }) {
    const entries = await context.ledger.audit.read({
      limit: limit ?? 200,
      ...(after === undefined ? {} : { after }),
      ...(agent !== undefined && session !== undefined ? { session: { agent, session } } : {}),
    })
    return { entries: entries.map((entry) => ({ ...entry, detail: maskAll(entry.detail) })) }
  },
  verifyAudit: ({ context }) => context.ledger.audit.verify(),
})

import { NodeInfo } from '@remora/protocol/api'
import { z } from 'zod'
import { fleetTimes } from '../../fleet/times.ts'
import { route } from '../route.ts'

export const nodeRoutes = [
  route({
    method: 'get',
    path: '/api/nodes',
    summary: 'The machines that share this ledger; none where it belongs to one machine alone',
    access: 'viewer',
    shapes: { response: z.object({ nodes: z.array(NodeInfo) }) },
    async handle({ context: { ledger } }) {
      if (ledger.node === undefined) return { nodes: [] }
      const nodes = await ledger.nodes.list()
      return {
        nodes: nodes.map(({ id, name, version, silentMs, live }) => ({
          id,
          name,
          version,
          silentMs,
          ...(silentMs > fleetTimes.silentMs ? { silent: true as const } : {}),
          live: live.filter(({ state }) => state !== 'ended').length,
          ...(id === ledger.node ? { here: true as const } : {}),
        })),
      }
    },
  }),
]

import { z } from 'zod'
import { LiveInfo } from '../../model/live.ts'
import { AgentInfo } from '../agent.ts'
import { Demo } from '../demo.ts'
import { NodeInfo } from '../node.ts'
import { defineRoutes } from '../route.ts'

/** Routes of the server, its agents and machines. */
export const serverApi = defineRoutes({
  getHealth: {
    method: 'get',
    path: '/health',
    summary: 'Check that the server is running',
    access: 'open',
    response: z.object({ ok: z.literal(true), version: z.string() }),
  },
  listAgents: {
    method: 'get',
    path: '/api/agents',
    summary: 'List agents with installation status and features',
    access: 'viewer',
    response: z.object({ agents: z.array(AgentInfo) }),
  },
  listNodes: {
    method: 'get',
    path: '/api/nodes',
    summary: 'List machines that share this ledger; empty if the ledger is not shared',
    access: 'viewer',
    response: z.object({ nodes: z.array(NodeInfo) }),
  },
  getOpenApi: {
    method: 'get',
    path: '/api/openapi.json',
    summary: 'Get this document',
    access: 'viewer',
    response: z.record(z.string(), z.unknown()),
  },
})

/** Routes of the demo. */
export const demoApi = defineRoutes({
  getDemo: {
    method: 'get',
    path: '/api/demo',
    summary: 'Get the state of the demo',
    access: 'viewer',
    response: Demo,
  },
  startDemo: {
    method: 'post',
    path: '/api/demo',
    summary: 'Start the demo and respond when it runs; repeated calls return the same demo',
    access: 'member',
    body: z.strictObject({}),
    response: LiveInfo,
  },
})

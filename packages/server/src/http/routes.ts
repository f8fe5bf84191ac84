import { mountedRoutes } from './mounts.ts'
import { openApi } from './openapi.ts'
import { type Route, route } from './route.ts'
import { agentRoutes } from './routes/agents.ts'
import { auditRoutes } from './routes/audit.ts'
import { askRoutes, commandRoutes } from './routes/commands.ts'
import { completionRoutes } from './routes/completion.ts'
import { deviceRoutes } from './routes/devices.ts'
import { insightsRoutes } from './routes/insights.ts'
import { liveRoutes } from './routes/live.ts'
import { nodeRoutes } from './routes/nodes.ts'
import { pageRoutes } from './routes/pages.ts'
import { peopleRoutes } from './routes/people.ts'
import { sessionRoutes } from './routes/sessions.ts'

/** The whole API. Its description is made of itself. */
export const routes: readonly Route[] = [
  ...pageRoutes,
  ...deviceRoutes,
  ...peopleRoutes,
  ...sessionRoutes,
  ...completionRoutes,
  ...agentRoutes,
  ...liveRoutes,
  ...nodeRoutes,
  ...askRoutes,
  ...commandRoutes,
  ...auditRoutes,
  ...insightsRoutes,
  route({
    method: 'get',
    path: '/api/openapi.json',
    summary: 'This description',
    access: 'viewer',
    shapes: {},
    handle: ({ context }) => openApi([...routes, ...mountedRoutes], context.version),
  }),
]

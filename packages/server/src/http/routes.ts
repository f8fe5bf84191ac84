import type { Route } from './route.ts'
import { auditRoutes, deviceRoutes, peopleRoutes } from './routes/devices.ts'
import { insightsRoutes } from './routes/insights.ts'
import { askRoutes, commandRoutes, liveRoutes } from './routes/live.ts'
import { serverRoutes } from './routes/server.ts'
import { completionRoutes, sessionRoutes } from './routes/sessions.ts'

/** The routes whose handlers need nothing but `Services`. Changes, files, push, reviews and the demo add their own. */
export const coreRoutes: readonly Route[] = [
  ...serverRoutes,
  ...deviceRoutes,
  ...peopleRoutes,
  ...auditRoutes,
  ...sessionRoutes,
  ...completionRoutes,
  ...liveRoutes,
  ...askRoutes,
  ...commandRoutes,
  ...insightsRoutes,
]

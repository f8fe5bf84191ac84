import type { Route } from './route.ts'
import { auditRoutes } from './routes/audit.ts'
import { askRoutes, commandRoutes } from './routes/commands.ts'
import { completionRoutes } from './routes/completion.ts'
import { deviceRoutes } from './routes/devices.ts'
import { insightsRoutes } from './routes/insights.ts'
import { liveRoutes } from './routes/live.ts'
import { peopleRoutes } from './routes/people.ts'
import { serverRoutes } from './routes/server.ts'
import { sessionRoutes } from './routes/sessions.ts'

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

import { auditApi, devicesApi, peopleApi } from './devices.ts'
import { filesApi } from './files.ts'
import { insightsApi } from './insights.ts'
import { asksApi, commandsApi, liveApi } from './live.ts'
import { pushApi } from './push.ts'
import { reviewsApi } from './reviews.ts'
import { demoApi, serverApi } from './server.ts'
import { changesApi, completionApi, sessionsApi } from './sessions.ts'

/** The type of the whole HTTP API. */
export type Api = typeof serverApi &
  typeof devicesApi &
  typeof peopleApi &
  typeof auditApi &
  typeof sessionsApi &
  typeof completionApi &
  typeof changesApi &
  typeof liveApi &
  typeof asksApi &
  typeof commandsApi &
  typeof insightsApi &
  typeof filesApi &
  typeof pushApi &
  typeof reviewsApi &
  typeof demoApi

/** The HTTP API: every route by the name of its operation. Of two routes that match a path, the first one applies. */
export const api: Api = {
  ...serverApi,
  ...devicesApi,
  ...peopleApi,
  ...auditApi,
  ...sessionsApi,
  ...completionApi,
  ...changesApi,
  ...liveApi,
  ...asksApi,
  ...commandsApi,
  ...insightsApi,
  ...filesApi,
  ...pushApi,
  ...reviewsApi,
  ...demoApi,
}

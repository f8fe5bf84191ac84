import type { Hono } from 'hono'
import { hookRoutes } from '../approvals/hook-routes.ts'
import { changesApi, changesRoutes } from '../changes/routes.ts'
import { asRoute } from '../changes/serve.ts'
import type { Context } from '../context.ts'
import { demoApi } from '../demo/demo-routes.ts'
import { filesApi, filesRoutes } from '../files/routes.ts'
import { pushApi } from '../push/routes.ts'
import { reviewApi } from '../review/routes.ts'
import type { Route } from './route.ts'

/** Routes of the other parts that need nothing but the context, all below /api. */
export function mounts(context: Context): Hono[] {
  return [
    changesRoutes(context),
    filesRoutes(context),
    ...(context.hooks ? [hookRoutes(context, context.hooks) as unknown as Hono] : []),
  ]
}

/** Those of all parts as lines of the table, for its description. */
export const mountedRoutes: readonly Route[] = [changesApi, filesApi, pushApi, reviewApi, demoApi].flatMap(
  (api) => Object.values(api).map(asRoute),
)

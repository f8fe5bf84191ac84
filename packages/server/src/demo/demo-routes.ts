import { LiveInfo } from '@remora/protocol'
import { Demo } from '@remora/protocol/api'
import { Hono } from 'hono'
import { z } from 'zod'
import { described, serve } from '../changes/serve.ts'
import type { Demos } from './demos.ts'

export const demoApi = {
  state: described('get', 'viewer', '/api/demo', 'How far the demo is', { response: Demo }),
  start: described(
    'post',
    'member',
    '/api/demo',
    'Starts the demo and answers when it goes on; asked for again meanwhile, it is the same one',
    { body: z.strictObject({}), response: LiveInfo },
  ),
}

/** The demo for whoever has no agent yet. */
export function demoRoutes(demos: Demos): Hono {
  const app = new Hono()
  serve(app, demoApi.state, () => demos.state)
  serve(app, demoApi.start, () => demos.start())
  return app
}

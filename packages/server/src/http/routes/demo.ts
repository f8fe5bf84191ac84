import { demoApi } from '@remora/protocol/api'
import { type Route, implement } from '../route.ts'
import type { Demos } from '../../demo/demos.ts'

/** The demo for users without an installed agent. */
export function demoRoutes(demos: Demos): Route[] {
  return implement(demoApi, { getDemo: () => demos.state, startDemo: () => demos.start() })
}

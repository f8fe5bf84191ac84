import { join } from 'node:path'
import type { HooksPart } from '../../contract/agent.ts'
import { createNestedHooks } from '../../dialects/nested-hooks.ts'
import { hookNames, hookTimeoutMs } from '../../dialects/our-hooks.ts'
import { geminiFolder } from './home.ts'
import { hookObstacles } from './hook-obstacles.ts'
import { hookReader } from './hook-payload.ts'

const events = [
  'SessionStart',
  'SessionEnd',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
  'BeforeTool',
  'AfterTool',
  'PreCompress',
  'Notification',
] as const

// These hooks run for every model request or chunk. Their content is in the transcript as well.
const frequent: readonly string[] = ['BeforeModel', 'AfterModel', 'BeforeToolSelection', 'PreCompress']

export const hooks: HooksPart = {
  events,
  defaultEvents: events.filter((event) => !frequent.includes(event)),
  gates: ['BeforeTool'],
  async targets(place, scope) {
    const folder = scope === 'project' ? join(place.cwd, '.gemini') : geminiFolder(place)
    const file = typeof scope === 'object' ? scope.file : join(folder, 'settings.json')
    // The timeout is in milliseconds. The name lets users disable the hook.
    return [createNestedHooks(file, ({ kind }) => ({ name: hookNames[kind], timeout: hookTimeoutMs[kind] }))]
  },
  obstacles: hookObstacles,
  reader: hookReader,
}

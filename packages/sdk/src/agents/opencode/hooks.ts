import { join } from 'node:path'
import type { HooksPart } from '../../contract/agent.ts'
import { configFolder } from './home.ts'
import { hookObstacles } from './hook-obstacles.ts'
import { hookReader } from './hook-payload.ts'
import { npmTarget, pluginName } from './npm-settings.ts'
import { pluginTarget } from './plugin-target.ts'
import { pluginEvents } from './plugin-text.ts'

/** OpenCode has plugins instead of hooks, so ours is a small module that writes to the spool itself. */
export const hooks: HooksPart = {
  events: pluginEvents,
  defaultEvents: pluginEvents,
  gates: [],
  async targets(place, scope) {
    if (typeof scope === 'object') return [pluginTarget(scope.file)]
    const folder = scope === 'project' ? join(place.cwd, '.opencode') : configFolder(place)
    return [pluginTarget(join(folder, 'plugin', pluginName)), await npmTarget(folder)]
  },
  otherFiles: /\.[jt]s$/,
  obstacles: hookObstacles,
  reader: hookReader,
}

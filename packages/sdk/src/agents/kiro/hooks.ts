import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HooksPart, Place } from '../../contract/agent.ts'
import { agentFile } from './agent-file.ts'
import { hookReader } from './hook-payload.ts'

const events = ['agentSpawn', 'userPromptSubmit', 'preToolUse', 'postToolUse', 'stop'] as const

/**
 * Kiro's hooks belong to its agents, so they are added to every agent. If there is none, one is created: `kiro-cli chat
 * --agent remora`. Based on Kiro's documentation; Kiro 3 reads this format too.
 */
export const hooks: HooksPart = {
  events,
  defaultEvents: events,
  gates: [],
  async targets(place, scope) {
    if (typeof scope === 'object') return [agentFile(scope.file)]
    const folder = scope === 'project' ? join(place.cwd, '.kiro', 'agents') : agentsFolder(place)
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
    return (names.length === 0 ? ['remora.json'] : names.toSorted()).map((name) =>
      agentFile(join(folder, name)),
    )
  },
  otherFiles: /\.json$/,
  reader: hookReader,
}

function agentsFolder(place: Place): string {
  return join(place.env['KIRO_HOME'] || join(place.home, '.kiro'), 'agents')
}

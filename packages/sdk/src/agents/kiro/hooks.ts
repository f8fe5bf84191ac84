import { join } from 'node:path'
import type { HooksPart } from '../../agent.ts'

const events = ['agentSpawn', 'userPromptSubmit', 'preToolUse', 'postToolUse', 'stop'] as const

/**
 * Kiro's hooks belong to an agent of its own, so the file defines one: `kiro-cli chat --agent remora`. From Kiro's
 * documentation; Kiro 3 reads this form too.
 */
export const hooks: HooksPart = {
  events,
  file: (place) => join(place.env['KIRO_HOME'] || join(place.home, '.kiro'), 'agents', 'remora.json'),
  config(command) {
    const entry = (event: string) => [{ command: command(event), timeout_ms: 5000 }]
    const config = {
      name: 'remora',
      description: 'The default agent, seen by Remora',
      // Without this line the agent would have no tools at all.
      tools: ['*'],
      hooks: Object.fromEntries(events.map((event) => [event, entry(event)])),
    }
    return `${JSON.stringify(config, null, 2)}\n`
  },
}

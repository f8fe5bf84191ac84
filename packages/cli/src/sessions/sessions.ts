import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const sessions: Verb = {
  name: 'sessions',
  description: 'List sessions of all agents, newest first',
  options: {
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    since: filterOptions.since,
    limit: { short: 'n', value: 'count', description: 'Maximum number (default: 20; all with --json)' },
    all: { description: 'Include hidden sessions' },
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora sessions',
    'remora sessions --cwd . --since 7d',
    'remora sessions --agent gemini --limit 50',
    "remora sessions --json | jq -r '.[] | select(.pinned) | .id'",
  ],
  async run(input, io) {
    const { listSessions } = await import('./list-sessions.ts')
    return listSessions(input, io)
  },
}

import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const search: Verb = {
  name: 'search',
  description: 'Search all sessions: messages, thinking, tool calls and results',
  positionals: [
    {
      name: 'words',
      required: true,
      many: true,
      description: 'All must match; "in quotes" is a phrase; the last word may be a prefix',
    },
  ],
  options: {
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    since: filterOptions.since,
    limit: { short: 'n', value: 'count', description: 'Maximum number of results (default: 20)' },
    json: { description: 'Print the results as a JSON object' },
  },
  examples: [
    'remora search flaky test',
    'remora search \'"connection refused"\' --since 30d',
    'remora search migration --agent claude --cwd .',
    "remora search TODO --json | jq -r '.hits[].session'",
  ],
  async run(input, io) {
    const { searchSessions } = await import('./search-sessions.ts')
    return searchSessions(input, io)
  },
}

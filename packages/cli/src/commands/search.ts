import { filterOptions } from '../filter-options.ts'
import type { Verb } from '../verb.ts'

export const search: Verb = {
  name: 'search',
  description: 'Find words in every session: what was said, thought, run and answered',
  positionals: [
    {
      name: 'words',
      required: true,
      many: true,
      description:
        'All of them must be there; "in quotes" is a phrase, the last may be the beginning of a word',
    },
  ],
  options: {
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    since: filterOptions.since,
    limit: { short: 'n', value: 'count', description: 'How many places; 20 by default' },
    json: { description: 'Print a JSON object with the hits' },
  },
  examples: [
    'remora search flaky test',
    'remora search \'"connection refused"\' --since 30d',
    'remora search migration --agent claude --cwd .',
    "remora search TODO --json | jq -r '.hits[].session'",
  ],
  async run(input, io) {
    const { searchSessions } = await import('../sessions/search.ts')
    return searchSessions(input, io)
  },
}

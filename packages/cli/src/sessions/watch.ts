import { filterOptions, sessionArgument } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const watch: Verb = {
  name: 'watch',
  description: 'Follow a session live, until Ctrl+C',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
    from: {
      value: 'where',
      choices: ['start', 'now'],
      description: 'Start at the beginning (start) or with new events (now, default)',
    },
    thinking: { description: 'Show thinking, if the agent reports it' },
    json: { description: 'Print events as JSON, one per line' },
  },
  examples: [
    'remora watch latest',
    'remora watch 3f2a9c1e --from start',
    'remora watch latest --json | jq -r \'select(.type == "tool_use") | .name\'',
  ],
  async run(input, io) {
    const { watchSession } = await import('./show/watch-session.ts')
    return watchSession(input, io)
  },
}

import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const watch: Verb = {
  name: 'watch',
  description: 'Show a session while it goes on, until Ctrl+C',
  positionals: [
    { name: 'session', required: true, description: 'An id or its beginning, a name, or latest' },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    from: {
      value: 'where',
      choices: ['start', 'now'],
      description: 'From its start, or only what comes now, which is the default',
    },
    thinking: { description: 'Show what the agent thinks, where it is known' },
    json: { description: 'Print one event a line, as JSON' },
  },
  examples: [
    'remora watch latest',
    'remora watch 3f2a9c1e --from start',
    'remora watch latest --json | jq -r \'select(.type == "tool_use") | .name\'',
  ],
  async run(input, io) {
    const { watchSession } = await import('../show/watch-session.ts')
    return watchSession(input, io)
  },
}

import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const hide: Verb = {
  name: 'hide',
  description: 'Hide a session from the list. Nothing is deleted',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, name, or latest' }],
  options: {
    off: { description: 'Show it again' },
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    json: { description: 'Print the session as a JSON object' },
  },
  examples: ['remora sessions hide 3f2a9c1e', 'remora sessions --all', 'remora sessions hide 3f2a9c1e --off'],
  async run(input, io) {
    const { annotate } = await import('./annotate.ts')
    return annotate(input, io, { hidden: !input.values['off'] })
  },
}

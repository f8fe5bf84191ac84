import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const pin: Verb = {
  name: 'pin',
  description: 'Pin a session to the top of the list',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, name, or latest' }],
  options: {
    off: { description: 'Unpin it' },
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    json: { description: 'Print the session as a JSON object' },
  },
  examples: ['remora sessions pin latest', 'remora sessions pin 3f2a9c1e --off'],
  async run(input, io) {
    const { annotate } = await import('./annotate.ts')
    return annotate(input, io, { pinned: !input.values['off'] })
  },
}

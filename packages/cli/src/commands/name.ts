import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const name: Verb = {
  name: 'name',
  description: 'Give a session a name of your own, or take it away',
  positionals: [
    { name: 'session', required: true, description: 'An id or its beginning, its name, or latest' },
    { name: 'words', many: true, description: 'The name; without words, it is taken away' },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    json: { description: 'Print the session as a JSON object' },
  },
  examples: ['remora name latest the login bug', 'remora show "the login bug"', 'remora name latest'],
  async run(input, io) {
    const { annotate } = await import('../sessions/annotate.ts')
    return annotate(input, io, { name: input.positionals.slice(1).join(' ').trim() || null })
  },
}

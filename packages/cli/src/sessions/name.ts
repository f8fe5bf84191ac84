import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const name: Verb = {
  name: 'name',
  description: 'Name a session, or remove its name',
  positionals: [
    { name: 'session', required: true, description: 'Session id or prefix, name, or latest' },
    { name: 'words', many: true, description: 'New name; leave it out to remove the name' },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    json: { description: 'Print the session as a JSON object' },
  },
  examples: [
    'remora sessions name latest the login bug',
    'remora show "the login bug"',
    'remora sessions name latest',
  ],
  async run(input, io) {
    const { annotate } = await import('./annotate.ts')
    return annotate(input, io, { name: input.positionals.slice(1).join(' ').trim() || null })
  },
}

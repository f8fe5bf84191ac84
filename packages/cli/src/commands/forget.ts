import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const forget: Verb = {
  name: 'forget',
  description: 'Delete a session from the ledger for good; the agent’s own file stays',
  positionals: [{ name: 'session', required: true, description: 'An id or its beginning, or a name' }],
  options: {
    yes: { short: 'y', description: 'Do not ask' },
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    json: { description: 'Print what was forgotten as a JSON object' },
  },
  examples: ['remora forget 3f2a9c1e', 'remora forget 3f2a9c1e --yes'],
  async run(input, io) {
    const { forgetSession } = await import('../sessions/forget.ts')
    return forgetSession(input, io)
  },
}

import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const forget: Verb = {
  name: 'forget',
  description: 'Delete a session from the ledger. The agent’s own file is kept',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, or name' }],
  options: {
    yes: { short: 'y', description: 'Do not ask for confirmation' },
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    json: { description: 'Print the deleted session as a JSON object' },
  },
  examples: ['remora sessions forget 3f2a9c1e', 'remora sessions forget 3f2a9c1e --yes'],
  async run(input, io) {
    const { forgetSession } = await import('./forget-session.ts')
    return forgetSession(input, io)
  },
}

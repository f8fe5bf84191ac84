import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const restore: Verb = {
  name: 'restore',
  description: 'Give a session back to the agent that has deleted or damaged it',
  positionals: [{ name: 'session', required: true, description: 'An id or its beginning, or a name' }],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    cwd: { value: 'folder', description: 'The folder it worked in, where that is not known' },
    json: { description: 'Print what was written as a JSON object' },
  },
  examples: ['remora restore 3f2a9c1e', 'remora restore 3f2a9c1e --cwd ~/work'],
  async run(input, io) {
    const { restore: restoreSession } = await import('../guard/restore.ts')
    return restoreSession(input, io)
  },
}

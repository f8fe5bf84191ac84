import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const importVerb: Verb = {
  name: 'import',
  description: 'Bring everything the agents ever wrote into the ledger, and keep it',
  options: {
    agent: {
      short: 'a',
      value: 'agent',
      choices: agentNames,
      many: true,
      description: `Only these agents: ${agentNames.join(', ')}`,
    },
    'no-index': { description: 'Leave full text for later; search builds it when it is asked' },
    json: { description: 'Print what came of it as a JSON object' },
  },
  examples: [
    'remora import',
    'remora import --agent gemini --agent claude',
    'remora import --no-index --json',
  ],
  async run(input, io) {
    const { importSessions } = await import('../sessions/import.ts')
    return importSessions(input, io)
  },
}

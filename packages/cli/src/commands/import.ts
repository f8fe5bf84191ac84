import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const importVerb: Verb = {
  name: 'import',
  description: 'Bring everything the agents ever wrote into the ledger, and keep it',
  positionals: [
    { name: 'file', description: 'The database of desire-path, with --from-dp; ~/.dp/desires.db by default' },
  ],
  options: {
    'from-dp': {
      description:
        'Take over what desire-path has recorded, its aliases and mappings too, instead of reading sessions',
    },
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
    'remora import --from-dp',
  ],
  async run(input, io) {
    if (input.values['from-dp'] || input.positionals.length > 0) {
      const { importFromDp } = await import('../ingest/import-dp.ts')
      return importFromDp(input, io)
    }
    const { importSessions } = await import('../sessions/import.ts')
    return importSessions(input, io)
  },
}

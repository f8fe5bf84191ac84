import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const importVerb: Verb = {
  name: 'import',
  description: 'Import all agent sessions into the ledger',
  positionals: [
    { name: 'file', description: 'With --from-dp: desire-path database (default: ~/.dp/desires.db)' },
  ],
  options: {
    'from-dp': {
      description: 'Import recorded calls, aliases and mappings from desire-path instead of sessions',
    },
    agent: {
      short: 'a',
      value: 'agent',
      choices: agentNames,
      many: true,
      description: `Only these agents: ${agentNames.join(', ')}`,
    },
    'no-index': { description: 'Skip the full-text index; the next search builds it' },
    json: { description: 'Print the result as a JSON object' },
  },
  examples: [
    'remora import',
    'remora import --agent gemini --agent claude',
    'remora import --no-index --json',
    'remora import --from-dp',
  ],
  async run(input, io) {
    if (input.values['from-dp'] || input.positionals.length > 0) {
      const { importFromDp } = await import('./import-dp.ts')
      return importFromDp(input, io)
    }
    const { importSessions } = await import('./import-sessions.ts')
    return importSessions(input, io)
  },
}

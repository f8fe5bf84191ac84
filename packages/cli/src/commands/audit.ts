import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const audit: Verb = {
  name: 'audit',
  description: 'Show who decided what, and check that nobody has changed that',
  options: {
    verify: { description: 'Check every entry against the one before it; exits with 1 if one does not fit' },
    session: {
      short: 's',
      value: 'session',
      description: 'Only those of a session: an id or its beginning, a name, latest',
    },
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only those of this agent' },
    limit: { short: 'n', value: 'count', description: 'Only the latest so many' },
    json: { description: 'Print a JSON array; with --verify an object' },
  },
  examples: [
    'remora audit',
    'remora audit --session latest',
    'remora audit --verify',
    'remora audit --json | jq -r \'.[] | select(.what == "answer") | .who + " " + .detail.ask.title\'',
  ],
  async run(input, io) {
    const { showAudit } = await import('../audit/show-audit.ts')
    return showAudit(input, io)
  },
}

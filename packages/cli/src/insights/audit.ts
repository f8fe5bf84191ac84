import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const audit: Verb = {
  name: 'audit',
  description: 'Show approvals and verify the audit log',
  options: {
    verify: { description: 'Verify the hash chain; exit with 1 if it is broken' },
    session: {
      short: 's',
      value: 'session',
      description: 'Only this session: id or prefix, name, or latest',
    },
    agent: filterOptions.agent,
    limit: { short: 'n', value: 'count', description: 'Maximum number of entries, newest first' },
    json: { description: 'Print a JSON array; with --verify, an object' },
  },
  examples: [
    'remora audit',
    'remora audit --session latest',
    'remora audit --verify',
    'remora audit --json | jq -r \'.[] | select(.what == "answer") | .who + " " + .detail.ask.title\'',
  ],
  async run(input, io) {
    const { showAudit } = await import('./show-audit.ts')
    return showAudit(input, io)
  },
}

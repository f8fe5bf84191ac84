import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const usage: Verb = {
  name: 'usage',
  description: 'Show token usage and cost by day, agent, model, project or session',
  options: {
    by: {
      value: 'group',
      description: 'day (default), agent, model, project, session; comma-separated',
    },
    since: filterOptions.since,
    until: filterOptions.until,
    agent: filterOptions.agent,
    cwd: filterOptions.cwd,
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora usage --since 7d',
    'remora usage --by model',
    'remora usage --by day,agent --since 2026-01-01 --until 2026-01-31',
    'remora usage --by session --cwd .',
    'remora usage --by project --json',
  ],
  async run(input, io) {
    const { showUsage } = await import('./show-usage.ts')
    return showUsage(input, io)
  },
}

import { filterOptions, sessionArgument } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const bundle: Verb = {
  name: 'bundle',
  description: 'Pack a session for a bug report, without secrets: events, messages, versions, doctor output',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
    output: { short: 'o', value: 'file', description: 'Output file (default: in this folder)' },
    folder: { description: 'Write a folder instead of one file' },
    force: { description: 'Overwrite existing files' },
    json: { description: 'Print the list of packed files as a JSON object' },
  },
  examples: [
    'remora sessions bundle latest',
    'remora sessions bundle 3f2a9c1e --output ~/report.tar.gz',
    'remora sessions bundle latest --folder --output report',
  ],
  async run(input, io) {
    const { bundleSession } = await import('./bundle/bundle-session.ts')
    return bundleSession(input, io)
  },
}

import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const bundle: Verb = {
  name: 'bundle',
  description: 'Pack a session for a bug report, without secrets: events, messages, versions, doctor output',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, name, or latest' }],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
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

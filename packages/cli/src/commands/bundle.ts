import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const bundle: Verb = {
  name: 'bundle',
  description:
    'Pack a session for a bug report, without secrets: events, wire, versions and what doctor finds',
  positionals: [
    { name: 'session', required: true, description: 'An id or its beginning, a name, or latest' },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    output: { short: 'o', value: 'file', description: 'Where to write it; here by default' },
    folder: { description: 'Write a folder instead of one file' },
    force: { description: 'Write over what is there' },
    json: { description: 'Print what was packed as a JSON object' },
  },
  examples: [
    'remora bundle latest',
    'remora bundle 3f2a9c1e --output ~/report.tar.gz',
    'remora bundle latest --folder --output report',
  ],
  async run(input, io) {
    const { bundleSession } = await import('../bundle/bundle-session.ts')
    return bundleSession(input, io)
  },
}

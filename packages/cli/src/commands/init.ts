import type { Verb } from '../verb.ts'

export const init: Verb = {
  name: 'init',
  description: 'The same as remora hooks install',
  options: {
    source: {
      value: 'agent',
      description: 'Only this agent: gemini (or gemini-cli), claude (or claude-code), …',
    },
    settings: { value: 'file', description: 'In this settings file' },
    'track-all': { description: 'Every call is recorded in any case, those that succeed too' },
    json: { description: 'Print a JSON array' },
  },
  examples: ['remora init --source gemini', 'remora init --source claude-code'],
  async run(input, io) {
    const { install } = await import('../hooks/install.ts')
    const { source } = input.values
    return install({ ...input, positionals: typeof source === 'string' ? [source] : [] }, io)
  },
}

import type { Verb } from '../command/verb.ts'
import { hooks } from './hooks.ts'

const { project, settings, events } = hooks.options

export const init: Verb = {
  name: 'init',
  description: 'Install agent hooks. Same as remora hooks install',
  options: {
    source: {
      value: 'agent',
      description: 'Only this agent: gemini (or gemini-cli), claude (or claude-code), …',
    },
    events: {
      ...events!,
      description: 'Hook these events instead of the default ones: a,b,c; needs --source',
    },
    project: project!,
    settings: settings!,
    'track-all': { description: 'No effect: every call is recorded' },
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora init --source gemini',
    'remora init --source claude-code',
    'remora init --source gemini --project --events AfterTool',
  ],
  async run(input, io) {
    const { install } = await import('./hooks/install.ts')
    const { source } = input.values
    return install({ ...input, positionals: typeof source === 'string' ? [source] : [] }, io)
  },
}

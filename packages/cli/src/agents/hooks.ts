import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

const actions = ['install', 'uninstall', 'status']

export const hooks: Verb = {
  name: 'hooks',
  description: 'Install, check or remove agent hooks',
  positionals: [
    { name: 'action', description: `One of: ${actions.join(', ')}` },
    { name: 'agent', many: true, description: 'Only these agents (default: all installed)' },
  ],
  options: {
    events: { value: 'list', description: 'install: hook these events instead of the default ones: a,b,c' },
    project: { description: 'Use the project settings in this folder instead of the user settings' },
    settings: { value: 'file', description: 'Use this settings file' },
    json: { description: 'Print JSON' },
  },
  examples: [
    'remora hooks install',
    'remora hooks install gemini --events AfterTool,BeforeTool',
    'remora hooks status',
    'remora hooks uninstall claude',
  ],
  async run(input, io) {
    const [action, ...names] = input.positionals
    if (action === undefined || !actions.includes(action))
      throw new UsageError(
        action === undefined ? 'remora hooks needs <action>' : `Unknown action "${action}" for remora hooks`,
        `One of: ${actions.join(', ')}`,
      )
    if (input.values['events'] !== undefined && action !== 'install')
      throw new UsageError(`--events does not apply to remora hooks ${action}`, 'See: remora hooks --help')
    const rest = { ...input, positionals: names }
    if (action === 'install') return (await import('./hooks/install.ts')).install(rest, io)
    if (action === 'uninstall') return (await import('./hooks/uninstall.ts')).uninstall(rest, io)
    return (await import('./hooks/status.ts')).status(rest, io)
  },
}

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

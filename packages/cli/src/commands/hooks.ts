import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

const actions = ['install', 'uninstall', 'status']

export const hooks: Verb = {
  name: 'hooks',
  description: 'Let agents tell Remora what they do while they do it: install, uninstall, status',
  positionals: [
    { name: 'action', description: `One of: ${actions.join(', ')}` },
    { name: 'agent', many: true, description: 'Only these agents; all that are installed without one' },
  ],
  options: {
    events: { value: 'list', description: 'install: these events instead of the usual ones: a,b,c' },
    project: { description: 'In the settings of the project in this folder, and not of the user' },
    settings: { value: 'file', description: 'In this settings file' },
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
        action === undefined ? 'remora hooks needs an action' : `remora hooks cannot "${action}"`,
        `One of: ${actions.join(', ')}`,
      )
    if (input.values['events'] !== undefined && action !== 'install')
      throw new UsageError(`remora hooks ${action} takes no --events`, 'See: remora hooks --help')
    const rest = { ...input, positionals: names }
    if (action === 'install') return (await import('../hooks/install.ts')).install(rest, io)
    if (action === 'uninstall') return (await import('../hooks/uninstall.ts')).uninstall(rest, io)
    return (await import('../hooks/status.ts')).status(rest, io)
  },
}

import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'
import { addressOptions } from './address-options.ts'

const actions = ['install', 'uninstall', 'status']

export const service: Verb = {
  name: 'service',
  description: 'Start Remora at login (systemd, launchd)',
  positionals: [{ name: 'action', required: true, description: `One of: ${actions.join(', ')}` }],
  options: {
    ...addressOptions,
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora service install', 'remora service install --tailscale', 'remora service uninstall'],
  async run(input, io) {
    const [action] = input.positionals
    if (!actions.includes(action!))
      throw new UsageError(`Unknown action "${action}" for remora service`, `One of: ${actions.join(', ')}`)
    const { service: run } = await import('./manage-service.ts')
    return run(input, io)
  },
}

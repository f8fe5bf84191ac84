import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

const actions = ['install', 'uninstall', 'status']

export const service: Verb = {
  name: 'service',
  description: 'Let the system start the server, also after a reboot: install, uninstall, status',
  positionals: [{ name: 'action', required: true, description: `One of: ${actions.join(', ')}` }],
  options: {
    port: { value: 'port', description: 'The port; 0 takes any that is free' },
    host: { value: 'address', description: 'The address; 127.0.0.1 by default, others need TLS' },
    lan: { description: 'The address in the network at home, with a certificate of our own (remora cert)' },
    tailscale: { description: 'The address in your tailnet' },
    cert: { value: 'file', description: 'A TLS certificate of your own, with --key' },
    key: { value: 'file', description: 'The key of that certificate' },
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora service install', 'remora service install --tailscale', 'remora service uninstall'],
  async run(input, io) {
    const [action] = input.positionals
    if (!actions.includes(action!))
      throw new UsageError(`remora service cannot "${action}"`, `One of: ${actions.join(', ')}`)
    const { service: run } = await import('../live/service/service.ts')
    return run(input, io)
  },
}

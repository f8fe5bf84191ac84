import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

const actions = ['install', 'uninstall', 'status']

export const service: Verb = {
  name: 'service',
  description: 'Start Remora at login (systemd, launchd)',
  positionals: [{ name: 'action', required: true, description: `One of: ${actions.join(', ')}` }],
  options: {
    port: { value: 'port', description: 'Port; 0 picks a free one' },
    host: { value: 'address', description: 'Address to listen on (default: 127.0.0.1; others need TLS)' },
    lan: { description: 'Listen on the local network, using the certificate from remora cert' },
    tailscale: { description: 'Listen on your tailnet address' },
    cert: { value: 'file', description: 'TLS certificate file; needs --key' },
    key: { value: 'file', description: 'Private key file for --cert' },
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

import type { Verb } from '../command/verb.ts'
import { addressOptions } from './address-options.ts'

export const serve: Verb = {
  name: 'serve',
  description: 'Run the server and the app, until Ctrl+C',
  options: {
    ...addressOptions,
    background: { description: 'Run in the background' },
    json: { description: 'Print the address as a JSON object' },
  },
  examples: [
    'remora',
    'remora serve',
    'remora serve --lan',
    'remora serve --tailscale --port 8443',
    'remora serve --background',
  ],
  async run(input, io) {
    const { serve: run } = await import('./start-server.ts')
    return run(input, io)
  },
}

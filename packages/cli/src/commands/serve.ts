import type { Verb } from '../verb.ts'

export const serve: Verb = {
  name: 'serve',
  description: 'Run the server that holds live sessions, for terminals and phones, until Ctrl+C',
  options: {
    port: { value: 'port', description: 'The port; 0 takes any that is free' },
    host: { value: 'address', description: 'The address; 127.0.0.1 by default, others need TLS' },
    lan: { description: 'The address in the network at home, with a certificate of our own (remora cert)' },
    tailscale: { description: 'The address in your tailnet' },
    cert: { value: 'file', description: 'A TLS certificate of your own, with --key' },
    key: { value: 'file', description: 'The key of that certificate' },
    background: { description: 'Start it in the background and come back' },
    json: { description: 'Print where it runs as a JSON object' },
  },
  examples: [
    'remora',
    'remora serve',
    'remora serve --lan',
    'remora serve --tailscale --port 8443',
    'remora serve --background',
  ],
  async run(input, io) {
    const { serve: run } = await import('../live/serve.ts')
    return run(input, io)
  },
}

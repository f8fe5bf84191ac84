import type { Verb } from '../command/verb.ts'

export const serve: Verb = {
  name: 'serve',
  description: 'Run the server and the app, until Ctrl+C',
  options: {
    port: { value: 'port', description: 'Port; 0 picks a free one' },
    host: { value: 'address', description: 'Address to listen on (default: 127.0.0.1; others need TLS)' },
    lan: { description: 'Listen on the local network, using the certificate from remora cert' },
    tailscale: { description: 'Listen on your tailnet address' },
    cert: { value: 'file', description: 'TLS certificate file; needs --key' },
    key: { value: 'file', description: 'Private key file for --cert' },
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

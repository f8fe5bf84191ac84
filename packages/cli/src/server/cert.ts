import type { Verb } from '../command/verb.ts'

export const cert: Verb = {
  name: 'cert',
  description: 'Create a certificate that phones can trust, with install instructions',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora serve cert', 'remora serve --lan', 'remora serve cert --json | jq -r .fingerprint'],
  async run(input, io) {
    const { certificate } = await import('./certificate.ts')
    return certificate(input, io)
  },
}

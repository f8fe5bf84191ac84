import type { Verb } from '../verb.ts'

export const cert: Verb = {
  name: 'cert',
  description: 'Create a certificate that phones can trust, with install instructions',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora cert', 'remora serve --lan', 'remora cert --json | jq -r .fingerprint'],
  async run(input, io) {
    const { certificate } = await import('../live/certificate.ts')
    return certificate(input, io)
  },
}

import type { Verb } from '../verb.ts'

export const cert: Verb = {
  name: 'cert',
  description: 'Make the certificate that lets a phone trust this machine, and say how to install it',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora cert', 'remora serve --lan', 'remora cert --json | jq -r .fingerprint'],
  async run(input, io) {
    const { certificate } = await import('../live/certificate.ts')
    return certificate(input, io)
  },
}

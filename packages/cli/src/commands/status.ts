import type { Verb } from '../verb.ts'

export const status: Verb = {
  name: 'status',
  description: 'Say whether the server runs, where, and what it holds; exits with 1 if it does not run',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora status', 'remora status --json | jq -r .url'],
  async run(input, io) {
    const { status: run } = await import('../live/status.ts')
    return run(input, io)
  },
}

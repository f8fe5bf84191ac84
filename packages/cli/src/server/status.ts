import type { Verb } from '../command/verb.ts'

export const status: Verb = {
  name: 'status',
  description: 'Show the server status. Exits with 1 if it is not running',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora status', 'remora status --json | jq -r .url'],
  async run(input, io) {
    const { status: run } = await import('./read-status.ts')
    return run(input, io)
  },
}

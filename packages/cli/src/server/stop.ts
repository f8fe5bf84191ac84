import type { Verb } from '../command/verb.ts'

export const stop: Verb = {
  name: 'stop',
  description: 'Stop the server. Agents keep running',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora stop'],
  async run(input, io) {
    const { stop: run } = await import('./stop-server.ts')
    return run(input, io)
  },
}

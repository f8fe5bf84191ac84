import type { Verb } from '../command/verb.ts'

export const end: Verb = {
  name: 'end',
  description: 'End a live session. You can resume its conversation later',
  positionals: [{ name: 'session', required: true, description: 'Session id from remora ls, or latest' }],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora end l-7f3k9q', 'remora end latest'],
  async run(input, io) {
    const { commandSession } = await import('./command-session.ts')
    return commandSession('end', input, io)
  },
}

import type { Verb } from '../command/verb.ts'

export const cancel: Verb = {
  name: 'cancel',
  description: 'Interrupt a live session. The session stays open',
  positionals: [{ name: 'session', required: true, description: 'Session id from remora ls, or latest' }],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora cancel l-7f3k9q', 'remora cancel latest'],
  async run(input, io) {
    const { commandSession } = await import('./command-session.ts')
    return commandSession('cancel', input, io)
  },
}

import type { Verb } from '../verb.ts'

export const cancel: Verb = {
  name: 'cancel',
  description: 'Break off what a live session does; it stays',
  positionals: [{ name: 'session', required: true, description: 'Its id as remora ls shows it, or latest' }],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora cancel l-7f3k9q', 'remora cancel latest'],
  async run(input, io) {
    const { commandSession } = await import('../live/command-session.ts')
    return commandSession('cancel', input, io)
  },
}

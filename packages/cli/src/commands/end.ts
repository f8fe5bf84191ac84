import type { Verb } from '../verb.ts'

export const end: Verb = {
  name: 'end',
  description: 'End a live session; its conversation stays and can be resumed',
  positionals: [{ name: 'session', required: true, description: 'Its id as remora ls shows it, or latest' }],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora end l-7f3k9q', 'remora end latest'],
  async run(input, io) {
    const { commandSession } = await import('../live/command-session.ts')
    return commandSession('end', input, io)
  },
}

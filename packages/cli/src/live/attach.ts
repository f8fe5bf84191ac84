import type { Verb } from '../command/verb.ts'

export const attach: Verb = {
  name: 'attach',
  description: 'Open a live session in this terminal. Press Ctrl+B, then D to detach',
  positionals: [{ name: 'session', required: true, description: 'Session id from remora ls, or latest' }],
  options: { print: { description: 'Print the command without running it' } },
  examples: ['remora attach l-7f3k9q', 'remora attach latest', 'remora attach latest --print'],
  async run(input, io) {
    const { attach: run } = await import('./attach-terminal.ts')
    return run(input, io)
  },
}

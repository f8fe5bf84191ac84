import type { Verb } from '../verb.ts'

export const attach: Verb = {
  name: 'attach',
  description: 'Hand this terminal over to a live session; Ctrl+B D gives it back',
  positionals: [{ name: 'session', required: true, description: 'Its id as remora ls shows it, or latest' }],
  options: { print: { description: 'Only print the command that does it' } },
  examples: ['remora attach l-7f3k9q', 'remora attach latest', 'remora attach latest --print'],
  async run(input, io) {
    const { attach: run } = await import('../live/attach.ts')
    return run(input, io)
  },
}

import type { Verb } from '../verb.ts'

export const adopt: Verb = {
  name: 'adopt',
  description: 'Take in an agent that runs in your own tmux; it stays where it is',
  positionals: [
    { name: 'agent', required: true, description: 'Its id as remora ls shows it, its pane, or its process' },
  ],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora adopt a-3f9c21', 'remora adopt %3'],
  async run(input, io) {
    const { adopt: run } = await import('../live/adopt.ts')
    return run(input, io)
  },
}

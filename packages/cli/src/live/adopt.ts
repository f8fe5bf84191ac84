import type { Verb } from '../command/verb.ts'

export const adopt: Verb = {
  name: 'adopt',
  description: 'Manage an agent that runs in your own tmux. It stays in its pane',
  positionals: [
    { name: 'agent', required: true, description: 'Id from remora ls, tmux pane, or process id' },
  ],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora adopt a-3f9c21', 'remora adopt %3'],
  async run(input, io) {
    const { adopt: run } = await import('./adopt-agent.ts')
    return run(input, io)
  },
}

import type { Verb } from '../command/verb.ts'

export const follow: Verb = {
  name: 'follow',
  description: 'Import new session data continuously, until Ctrl+C',
  options: { json: { description: 'Print one JSON line per changed file' } },
  examples: [
    'remora import follow',
    'remora import follow --json',
    'nohup remora import follow > /dev/null &',
  ],
  async run(input, io) {
    const { followAgents } = await import('./follow-agents.ts')
    return followAgents(input, io)
  },
}

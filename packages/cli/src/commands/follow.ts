import type { Verb } from '../verb.ts'

export const follow: Verb = {
  name: 'follow',
  description: 'Import new session data continuously, until Ctrl+C',
  options: { json: { description: 'Print one JSON line per changed file' } },
  examples: ['remora follow', 'remora follow --json', 'nohup remora follow > /dev/null &'],
  async run(input, io) {
    const { followAgents } = await import('../sessions/follow.ts')
    return followAgents(input, io)
  },
}

import type { Verb } from '../verb.ts'

export const follow: Verb = {
  name: 'follow',
  description: 'Keep the ledger current while agents work, until Ctrl+C',
  options: { json: { description: 'Print one line of JSON for each file that grew' } },
  examples: ['remora follow', 'remora follow --json', 'nohup remora follow > /dev/null &'],
  async run(input, io) {
    const { followAgents } = await import('../sessions/follow.ts')
    return followAgents(input, io)
  },
}

import type { Verb } from '../verb.ts'

export const sources: Verb = {
  name: 'sources',
  description: 'Where calls come from: each agent, whether its hooks are installed, and how many are known',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora sources', "remora sources --json | jq '.[] | select(.installed)'"],
  async run(input, io) {
    const { listSources } = await import('../desires/sources.ts')
    return listSources(input, io)
  },
}

import type { Verb } from '../command/verb.ts'

export const sources: Verb = {
  name: 'sources',
  description: 'List agents with hook status and number of recorded calls',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora desires sources', "remora desires sources --json | jq '.[] | select(.installed)'"],
  async run(input, io) {
    const { listSources } = await import('./desires/list-sources.ts')
    return listSources(input, io)
  },
}

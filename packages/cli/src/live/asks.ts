import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const asks: Verb = {
  name: 'asks',
  description: 'List approval requests and questions',
  positionals: [
    {
      name: 'which',
      description: 'Request number (shows it in full), or a session: id, name, latest',
    },
  ],
  options: {
    agent: filterOptions.agent,
    all: { description: 'Include requests of agents that have exited' },
    watch: { description: 'Print new requests until Ctrl+C' },
    json: { description: 'Print a JSON array; with --watch, one object per line' },
  },
  examples: [
    'remora asks',
    'remora asks 4821',
    'remora asks latest',
    'remora asks --watch',
    'remora asks --json | jq -r \'.[] | .ask + " " + .title\'',
  ],
  async run(input, io) {
    const { listAsks } = await import('./list-asks.ts')
    return listAsks(input, io)
  },
}

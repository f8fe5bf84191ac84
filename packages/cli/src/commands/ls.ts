import type { Verb } from '../verb.ts'

export const ls: Verb = {
  name: 'ls',
  description: 'List the sessions that go on now, and agents in your own tmux that could be adopted',
  options: {
    everywhere: { short: 'e', description: 'Those on other machines too, where several share the ledger' },
    all: { short: 'a', description: 'Those too that ended a moment ago' },
    json: { description: 'Print a JSON object: live, adoptable' },
  },
  examples: [
    'remora ls',
    'remora ls --everywhere',
    'remora ls --json | jq -r \'.live[] | .id + " " + .state\'',
  ],
  async run(input, io) {
    const { listLive } = await import('../live/list-live.ts')
    return listLive(input, io)
  },
}

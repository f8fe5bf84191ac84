import type { Verb } from '../command/verb.ts'

export const ls: Verb = {
  name: 'ls',
  description: 'List live sessions, and agents in your own tmux that you can adopt',
  options: {
    everywhere: { short: 'e', description: 'Include other machines that share the ledger' },
    all: { short: 'a', description: 'Include sessions that ended recently' },
    watch: { short: 'w', description: 'Update the list on every change, until Ctrl+C' },
    json: { description: 'Print a JSON object: live, adoptable; with --watch, one per line' },
  },
  examples: [
    'remora ls',
    'remora ls --everywhere',
    'remora ls --watch',
    'remora ls --json | jq -r \'.live[] | .id + " " + .state\'',
  ],
  async run(input, io) {
    const { listLive } = await import('./list-live.ts')
    return listLive(input, io)
  },
}

import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const asks: Verb = {
  name: 'asks',
  description: 'List what agents wait for a decision on',
  positionals: [
    {
      name: 'which',
      description: 'One request by its number, in full; or a session: its id, its name, latest',
    },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only those of this agent' },
    all: { description: 'Those too that nobody waits for any more, since the agent was killed' },
    watch: { description: 'Show each as it comes, until Ctrl+C' },
    json: { description: 'Print a JSON array; with --watch one object a line' },
  },
  examples: [
    'remora asks',
    'remora asks 4821',
    'remora asks latest',
    'remora asks --watch',
    'remora asks --json | jq -r \'.[] | .ask + " " + .title\'',
  ],
  async run(input, io) {
    const { listAsks } = await import('../acp/list-asks.ts')
    return listAsks(input, io)
  },
}

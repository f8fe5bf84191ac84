import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

const actions = ['name', 'remove']

export const nodes: Verb = {
  name: 'nodes',
  description: 'List the machines that share the ledger, name this one, or take one from the list',
  positionals: [
    { name: 'action', description: 'name calls this machine something else; remove takes one from the list' },
    { name: 'machine', description: 'The new name, or the machine: its name or its id' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora nodes', 'remora nodes name "the laptop"', 'remora nodes remove old-desktop'],
  async run(input, io) {
    const [action, machine] = input.positionals
    if (action !== undefined && !actions.includes(action))
      throw new UsageError(
        `remora nodes cannot "${action}"`,
        'It can: remora nodes name <new name>, remora nodes remove <machine>',
      )
    if (action !== undefined && machine === undefined)
      throw new UsageError(
        `remora nodes ${action} needs ${action === 'name' ? 'a new name' : '<machine>'}`,
        action === 'name' ? 'For example: remora nodes name "the laptop"' : 'See them: remora nodes',
      )
    const { nodes: run } = await import('../live/nodes.ts')
    return run(input, io)
  },
}

import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

const actions = ['name', 'remove']

export const nodes: Verb = {
  name: 'nodes',
  description: 'List machines that share the ledger, rename this one, or remove one',
  positionals: [
    { name: 'action', description: 'name: rename this machine; remove: remove a machine' },
    { name: 'machine', description: 'New name; for remove, the name or id of a machine' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora nodes', 'remora nodes name "the laptop"', 'remora nodes remove old-desktop'],
  async run(input, io) {
    const [action, machine] = input.positionals
    if (action !== undefined && !actions.includes(action))
      throw new UsageError(
        `Unknown action "${action}" for remora nodes`,
        'Usage: remora nodes name <new name>, remora nodes remove <machine>',
      )
    if (action !== undefined && machine === undefined)
      throw new UsageError(
        `remora nodes ${action} needs ${action === 'name' ? 'a new name' : '<machine>'}`,
        action === 'name' ? 'For example: remora nodes name "the laptop"' : 'List them: remora nodes',
      )
    const { nodes: run } = await import('./manage-nodes.ts')
    return run(input, io)
  },
}

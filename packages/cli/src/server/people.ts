import { roleNames } from '../args/roles.ts'
import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

export const people: Verb = {
  name: 'people',
  description: 'List people, change a role, or remove a person',
  positionals: [
    { name: 'action', description: 'role: change a role; remove: remove a person and all their devices' },
    { name: 'name', description: 'Name of the person' },
    { name: 'role', description: 'owner (full access), member (prompts and answers), viewer (read only)' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora people', 'remora people role Bob member', 'remora people remove Bob'],
  async run(input, io) {
    const [action, name, role] = input.positionals
    if (action !== undefined && action !== 'role' && action !== 'remove')
      throw new UsageError(
        `Unknown action "${action}" for remora people`,
        'Usage: remora people role <name> <role>, remora people remove <name>',
      )
    if (action !== undefined && name === undefined)
      throw new UsageError(`remora people ${action} needs <name>`, 'List them: remora people')
    if (action === 'role' && !roleNames.some((each) => each === role))
      throw new UsageError(
        role === undefined ? 'remora people role needs <role>' : `Unknown role "${role}"`,
        `One of: ${roleNames.join(', ')}`,
      )
    if (action === 'remove' && role !== undefined)
      throw new UsageError(
        `Unexpected argument "${role}" for remora people remove`,
        'Quote a name that contains spaces.',
      )
    const { people: run } = await import('./manage-people.ts')
    return run(input, io)
  },
}
